#include "device/cpu/lanes/script.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "device/placement/freed.h"
#include "ops/chain.h"

namespace braid::cpu {
namespace {

class ScriptWriter {
 public:
  ScriptWriter(const Graph& graph, const Plan& plan, KernelStore& kernels)
      : graph_(graph), plan_(plan), kernels_(kernels), places_(graph, plan, kernels.constants()) {}

  Script write() {
    number_steps();
    script_.arena_bytes = plan_.arena_bytes;
    script_.first.push_back(0);
    for (std::size_t s = 0; s < plan_.streams.size(); ++s) {
      if (lane_of_[s] < 0) continue;
      for (const Step& step : plan_.streams[s])
        if (is_kept(step)) script_.steps.push_back(compile(step));
      add_lane(s);
    }
    if (script_.streams.empty()) add_lane(0);
    mark_awaited();
    note_freed();
    script_.constants = std::move(places_.constants);
    script_.input_types = std::move(places_.input_types);
    script_.produced = std::move(places_.output_types);
    script_.outputs = std::move(places_.outputs);
    return std::move(script_);
  }

 private:
  void add_lane(std::size_t stream) {
    script_.first.push_back(script_.steps.size());
    script_.streams.push_back(static_cast<int>(stream));
  }

  /// A view that waits for nothing ends with the step before it.
  bool is_kept(const Step& step) const {
    return !is_view(graph_.node(step.node)) || !step.waits.empty();
  }

  void number_steps() {
    int lanes = 0;
    for (const std::vector<Step>& stream : plan_.streams) {
      std::vector<std::uint32_t>& ended = ended_.emplace_back();
      std::uint32_t kept = 0;
      for (const Step& step : stream) ended.push_back(kept += is_kept(step) ? 1 : 0);
      lane_of_.push_back(kept > 0 ? lanes++ : -1);
    }
  }

  std::vector<LaneWait> waits_of(const Step& step) const {
    std::vector<LaneWait> waits;
    for (const StepRef ref : step.waits) {
      const std::size_t s = ref.stream.at();
      const std::uint32_t ended = ended_.at(s).at(static_cast<std::size_t>(ref.index));
      if (ended > 0) waits.push_back({lane_of_[s], ended});
    }
    return waits;
  }

  void mark_awaited() {
    for (const RunStep& step : script_.steps)
      for (const LaneWait& wait : step.waits)
        script_.steps[script_.first[static_cast<std::size_t>(wait.lane)] + wait.ended - 1]
            .is_awaited = true;
  }

  RunStep& run_step(StepRef ref) {
    const std::size_t s = ref.stream.at();
    const std::uint32_t ended = ended_[s][static_cast<std::size_t>(ref.index)];
    return script_.steps[script_.first[static_cast<std::size_t>(lane_of_[s])] + ended - 1];
  }

  void note_freed() {
    for (const FreedBytes& freed : freed_bytes(graph_, plan_))
      run_step(freed.after).freed.push_back(freed.bytes);
  }

  /// Where a step reads an input; one that the kernel has packed is not read.
  Place input_place(const Node& node, std::size_t i, const Way& way) {
    return std::ranges::count(way.packed_inputs, i) > 0 ? Place{} : places_.kept(node.inputs[i]);
  }

  RunStep compile(const Step& step) {
    const auto where = [&] { return "while compiling " + describe(graph_, step.node); };
    return with_note(where, [&] {
      const Node& node = graph_.node(step.node);
      RunStep result;
      result.name = label(node);
      result.op = node.op;
      result.steps = inner_steps(node);
      result.part = step.part;
      result.parts = step.parts;
      result.node = step.node.index;
      result.waits = waits_of(step);
      if (is_view(node)) return result;
      result.kernel = kernels_.kernel_of(step);
      const Way& way = kernels_.way_of(step.node);
      result.pitch = places_.pitch(node, way.takes_pitch);
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        result.inputs.push_back(input_place(node, i, way));
      for (const ValueId id : node.outputs) result.outputs.push_back(places_.of(id));
      if (node.lowering.scratch_bytes > 0) {
        places_.check_range(step.scratch_offset, node.lowering.scratch_bytes, kArenaAlignment);
        result.scratch_offset = step.scratch_offset;
        result.scratch_bytes = node.lowering.scratch_bytes;
      }
      return result;
    });
  }

  /// The node's name, or that of its first output.
  std::string label(const Node& node) const {
    if (!node.name.empty()) return node.name;
    for (const ValueId id : node.outputs)
      if (id.valid()) return graph_.value(id).name;
    return {};
  }

  const Graph& graph_;
  const Plan& plan_;
  KernelStore& kernels_;
  Places places_;
  std::vector<int> lane_of_;                       // by stream; -1 if it has nothing to do
  std::vector<std::vector<std::uint32_t>> ended_;  // kept steps of the stream up to a step
  Script script_;
};

}  // namespace

Script write_script(const Graph& lowered, const Plan& plan, KernelStore& kernels) {
  return ScriptWriter(lowered, plan, kernels).write();
}

}  // namespace braid::cpu
