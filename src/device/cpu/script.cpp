#include "device/cpu/script.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/pitch.h"
#include "graph/hash.h"
#include "ops/chain.h"
#include "ops/elements.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/view.h"

namespace braid::cpu {
namespace {

class ScriptWriter {
 public:
  ScriptWriter(const Graph& graph, const Plan& plan, KernelStore& kernels)
      : graph_(graph), plan_(plan), kernels_(kernels) {}

  Script write() {
    check_plan();
    place_values();
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
    find_freed();
    return std::move(script_);
  }

 private:
  void check_plan() const {
    if (plan_.graph != hash(graph_, HashWeights::TypesOnly))
      raise(ErrorKind::Model, "the plan was made for another graph: make it again");
    if (plan_.placements.size() != graph_.value_limit())
      raise(ErrorKind::Model, fmt::format("the plan places {} values, the graph has {}",
                                          plan_.placements.size(), graph_.value_limit()));
  }

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

  /// Gives the bytes of a value to the last step that uses it, if in every run it is the same.
  void find_freed() {
    const HappensBefore order(graph_, plan_);
    const Accesses accesses(graph_, plan_);
    for (const ValueId id : graph_.value_ids()) {
      if (!lives_in_arena(graph_, id) || !owns_bytes(id)) continue;
      const Frontier& users = accesses.users(id);
      const auto is_last = [&](StepRef step) {
        return std::ranges::all_of(
            users, [&](StepRef other) { return other == step || order.before(other, step); });
      };
      const auto last = std::ranges::find_if(users, is_last);
      if (last == users.end()) continue;
      const std::int64_t begin = plan_.placements[id.at()].offset;
      run_step(*last).freed.push_back({begin, begin + byte_size(graph_.value(id).type)});
    }
  }

  /// Of the values that share bytes, one alone owns them: what joins others, else what is no view.
  bool owns_bytes(ValueId id) const {
    const Node& producer = graph_.node(graph_.value(id).producer);
    return plan_.placements[id.at()].strides.empty() &&
           (!is_view(producer) || elements_of(producer) == Elements::Joined);
  }

  void place_values() {
    places_.resize(graph_.value_limit());
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId id = graph_.inputs()[i];
      places_[id.at()] = {Place::Kind::Input, static_cast<std::int64_t>(i)};
      script_.input_types.push_back(graph_.value(id).type);
    }
    for (const ValueId id : graph_.value_ids()) {
      if (lives_in_arena(graph_, id)) places_[id.at()] = in_arena(id);
    }
    for (const GraphOutput& output : graph_.outputs()) {
      if (graph_.is_constant(output.value)) keep_constant(output.value);
      Place& place = places_[output.value.at()];
      if (place.kind == Place::Kind::Absent)
        place = add(Place::Kind::Output, script_.produced, graph_.value(output.value).type);
      script_.outputs.push_back(place);
    }
  }

  void keep_constant(ValueId id) {
    Place& place = places_[id.at()];
    if (place.kind == Place::Kind::Absent)
      place = add(Place::Kind::Constant, script_.constants, graph_.value(id).constant.aligned());
  }

  /// Where a step reads an input. Constants that no kernel reads are not kept.
  Place input_place(const Node& node, std::size_t i, const Prepared& prepared) {
    const ValueId id = node.inputs[i];
    if (!id.valid() || std::ranges::count(prepared.packed_inputs, i) > 0) return {};
    if (graph_.is_constant(id)) keep_constant(id);
    return places_[id.at()];
  }

  template <class T>
  static Place add(Place::Kind kind, std::vector<T>& list, T entry) {
    list.push_back(std::move(entry));
    return {kind, static_cast<std::int64_t>(list.size()) - 1};
  }

  Place in_arena(ValueId id) const {
    const Value& value = graph_.value(id);
    const Region region = region_of(value, plan_.placements[id.at()]);
    const ByteRange bytes = hull(region);
    const bool is_piece = std::ranges::any_of(value.consumers, [&](NodeId reader) {
      return is_view(graph_.node(reader)) && elements_of(graph_.node(reader)) == Elements::Joined;
    });
    check_range(bytes.begin, bytes.size(), is_piece ? region.element_bytes : kArenaAlignment);
    return {Place::Kind::Arena, bytes.begin};
  }

  /// The pitch with which a kernel writes its first output; everything else is dense.
  std::int64_t pitch_of_step(const Node& node, const Prepared& prepared) const {
    std::int64_t pitch = 0;
    const auto check = [&](ValueId id, bool may_lie_apart) {
      if (!id.valid()) return;
      const std::int64_t own = pitch_of(graph_.value(id), plan_.placements[id.at()]);
      if (own != 0 && !may_lie_apart)
        raise(ErrorKind::Unsupported,
              fmt::format("the plan places the rows of value {} apart, and '{}' needs them behind "
                          "one another",
                          quote(graph_.value(id).name), node.lowering.implementation));
      if (own != 0) pitch = own;
    };
    for (const ValueId id : node.inputs) check(id, false);
    for (const ValueId id : node.outputs) check(id, prepared.takes_pitch && id == node.outputs[0]);
    return pitch;
  }

  void check_range(std::int64_t offset, std::int64_t bytes, std::int64_t alignment) const {
    if (offset < 0 || offset % alignment != 0 || bytes > plan_.arena_bytes ||
        offset > plan_.arena_bytes - bytes)
      raise(ErrorKind::Model, fmt::format("the plan places {} bytes at {} in an arena of {}", bytes,
                                          offset, plan_.arena_bytes));
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
      const Prepared& prepared = kernels_.prepared_of(step.node);
      result.pitch = pitch_of_step(node, prepared);
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        result.inputs.push_back(input_place(node, i, prepared));
      for (const ValueId id : node.outputs)
        result.outputs.push_back(id.valid() ? places_[id.at()] : Place{});
      if (node.lowering.scratch_bytes > 0) {
        check_range(step.scratch_offset, node.lowering.scratch_bytes, kArenaAlignment);
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
  std::vector<Place> places_;
  std::vector<int> lane_of_;                       // by stream; -1 if it has nothing to do
  std::vector<std::vector<std::uint32_t>> ended_;  // kept steps of the stream up to a step
  Script script_;
};

}  // namespace

Script write_script(const Graph& lowered, const Plan& plan, KernelStore& kernels) {
  return ScriptWriter(lowered, plan, kernels).write();
}

}  // namespace braid::cpu
