#include "device/cpu/program.h"

#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/frame.h"
#include "device/cpu/lane_settings.h"
#include "device/cpu/script.h"

namespace braid::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// One run: the pointers that only the caller's tensors decide.
class Run {
 public:
  Run(const Script& script, std::span<const Tensor> inputs, Frame& frame)
      : script_(script), frame_(frame) {
    for (const Tensor& input : inputs) inputs_.push_back(input.aligned());
    for (const TensorType& type : script.produced) {
      produced_.push_back(Tensor::uninitialised(type));
      produced_bytes_.push_back(produced_.back().mutable_bytes().data());
    }
  }

  void execute(Trace* trace) {
    const Clock::time_point start = Clock::now();
    for (const RunStep& step : script_.steps) {
      if (trace == nullptr) {
        execute(step);
        continue;
      }
      TraceEvent event{step.name, step.op, 0, microseconds(start), 0};
      execute(step);
      event.end_us = microseconds(start);
      trace->events.push_back(std::move(event));
    }
  }

  std::vector<Tensor> outputs() const {
    std::vector<Tensor> outputs;
    for (const Place& place : script_.outputs) {
      const auto i = static_cast<std::size_t>(place.position);
      if (place.kind == Place::Kind::Output)
        outputs.push_back(produced_[i]);
      else if (place.kind == Place::Kind::Constant)
        outputs.push_back(script_.constants[i]);
      else  // A copy: the caller may write to its input again.
        outputs.push_back(Tensor::copy_of(inputs_[i].type(), inputs_[i].bytes()));
    }
    return outputs;
  }

 private:
  static double microseconds(Clock::time_point since) {
    return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
  }

  const std::byte* source(const Place& place) const {
    const auto i = static_cast<std::size_t>(place.position);
    switch (place.kind) {
      case Place::Kind::Constant:
        return script_.constants[i].bytes().data();
      case Place::Kind::Input:
        return inputs_[i].bytes().data();
      default:
        return target(place);
    }
  }

  std::byte* target(const Place& place) const {
    if (place.kind == Place::Kind::Arena) return frame_.arena() + place.position;
    if (place.kind == Place::Kind::Output)
      return produced_bytes_[static_cast<std::size_t>(place.position)];
    return nullptr;
  }

  void execute(const RunStep& step) {
    frame_.inputs.clear();
    frame_.outputs.clear();
    for (const Place& place : step.inputs) frame_.inputs.push_back(source(place));
    for (const Place& place : step.outputs) frame_.outputs.push_back(target(place));
    const auto where = [&] {
      return fmt::format("while running {} ({})", quote(step.name), step.op);
    };
    with_note(where, [&] {
      step.kernel({frame_.inputs, frame_.outputs, frame_.arena() + step.scratch_offset});
    });
  }

  const Script& script_;
  Frame& frame_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> produced_;
  std::vector<std::byte*> produced_bytes_;
};

class CpuProgram : public Program {
 public:
  CpuProgram(Script script, std::int64_t arena_bytes)
      : script_(std::move(script)), frames_(arena_bytes) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions& options) override {
    check_inputs(inputs);
    std::unique_ptr<Frame> frame = frames_.take();
    Run run(script_, inputs, *frame);
    {
      const LaneSettings settings;
      run.execute(options.trace);
    }
    frames_.give_back(std::move(frame));
    return run.outputs();
  }

  std::int64_t arena_bytes() const override { return frames_.arena_bytes(); }

 private:
  void check_inputs(std::span<const Tensor> inputs) const {
    if (inputs.size() != script_.input_types.size())
      raise(ErrorKind::Usage, fmt::format("{} inputs were given, the model has {}", inputs.size(),
                                          script_.input_types.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].defined() || inputs[i].type() != script_.input_types[i])
        raise(ErrorKind::Usage,
              fmt::format("input {} is {}, expected {}", i,
                          inputs[i].defined() ? to_string(inputs[i].type()) : "missing",
                          to_string(script_.input_types[i])));
  }

  Script script_;
  FramePool frames_;
};

}  // namespace

std::unique_ptr<Program> make_program(const Graph& lowered, const Plan& plan) {
  const LaneSettings settings;
  return std::make_unique<CpuProgram>(write_script(lowered, plan), plan.arena_bytes);
}

}  // namespace braid::cpu
