#include "device/cpu/lanes/program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/in_flight.h"
#include "base/text.h"
#include "device/cpu/lanes/lane_settings.h"
#include "device/cpu/lanes/run.h"
#include "plan/one_stream.h"

namespace braid::cpu {
namespace {

/// A script with the frames that its runs use.
struct Playbook {
  explicit Playbook(Script written) : script(std::move(written)), frames(script) {}

  const Script script;
  FramePool frames;
};

class CpuProgram : public Program {
 public:
  CpuProgram(std::shared_ptr<LanePool> pool, Script script, std::optional<Script> one_lane)
      : pool_(std::move(pool)), full_(std::move(script)) {
    if (one_lane) one_lane_.emplace(std::move(*one_lane));
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions& options) override {
    const InFlight::Call call(in_flight_);
    check_inputs(inputs);
    const Admission::Turn turn(pool_->admission());
    const bool is_crowded = turn.under_way() >= pool_->lanes();
    Playbook& playbook = is_crowded && one_lane_ ? *one_lane_ : full_;
    const FramePool::Lease frame(playbook.frames);
    return Run(playbook.script, *frame, inputs, options).execute(*pool_);
  }

 private:
  void check_inputs(std::span<const Tensor> inputs) const {
    const std::vector<TensorType>& types = full_.script.input_types;
    if (inputs.size() != types.size())
      raise(ErrorKind::Usage,
            fmt::format("{} inputs were given, the model has {}", inputs.size(), types.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].defined() || inputs[i].type() != types[i])
        raise(ErrorKind::Usage,
              fmt::format("input {} is {}, expected {}", i,
                          inputs[i].defined() ? to_string(inputs[i].type()) : "missing",
                          to_string(types[i])));
  }

  const std::shared_ptr<LanePool> pool_;
  Playbook full_;
  std::optional<Playbook> one_lane_;
  InFlight in_flight_;
};

}  // namespace

std::unique_ptr<Program> make_program(const Graph& lowered, const Plan& plan,
                                      std::shared_ptr<LanePool> pool, KernelStore& kernels) {
  const LaneSettings settings;
  Script script = write_script(lowered, plan, kernels);
  if (script.lanes() > pool->lanes())
    raise(ErrorKind::Usage, fmt::format("the plan has {} streams, cpu was opened with {}: "
                                        "ask for {}",
                                        script.lanes(), counted(pool->lanes(), "thread"),
                                        counted(script.lanes(), "thread")));
  std::optional<Script> one_lane;
  if (script.lanes() > 1)
    one_lane = write_script(lowered, one_stream(lowered, plan.device), kernels);
  return std::make_unique<CpuProgram>(std::move(pool), std::move(script), std::move(one_lane));
}

}  // namespace braid::cpu
