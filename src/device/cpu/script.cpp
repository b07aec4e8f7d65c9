#include "device/cpu/script.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/kernels.h"
#include "graph/hash.h"
#include "ops/call.h"
#include "plan/view.h"

namespace braid::cpu {
namespace {

class ScriptWriter {
 public:
  ScriptWriter(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  Script write() {
    check_plan();
    place_values();
    prepared_.resize(graph_.node_limit());
    for (const std::vector<Step>& stream : plan_.streams)
      for (const Step& step : stream)
        if (!is_view(graph_.node(step.node))) script_.steps.push_back(compile(step));
    return std::move(script_);
  }

 private:
  void check_plan() const {
    if (plan_.graph != hash(graph_, HashWeights::TypesOnly))
      raise(ErrorKind::Model, "the plan was made for another graph: make it again");
    if (plan_.placements.size() != graph_.value_limit())
      raise(ErrorKind::Model, fmt::format("the plan places {} values, the graph has {}",
                                          plan_.placements.size(), graph_.value_limit()));
    std::size_t busy = 0;
    for (const std::vector<Step>& stream : plan_.streams) busy += stream.empty() ? 0 : 1;
    if (busy > 1)
      raise(ErrorKind::Unsupported,
            fmt::format("the plan has {} streams; cpu runs one: plan with one stream", busy));
  }

  void place_values() {
    places_.resize(graph_.value_limit());
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId id = graph_.inputs()[i];
      places_[id.at()] = {Place::Kind::Input, static_cast<std::int64_t>(i)};
      script_.input_types.push_back(graph_.value(id).type);
    }
    for (const ValueId id : graph_.value_ids()) {
      if (graph_.is_constant(id))
        places_[id.at()] =
            add(Place::Kind::Constant, script_.constants, graph_.value(id).constant.aligned());
      else if (lives_in_arena(graph_, id))
        places_[id.at()] = in_arena(id);
    }
    for (const GraphOutput& output : graph_.outputs()) {
      Place& place = places_[output.value.at()];
      if (place.kind == Place::Kind::Absent)
        place = add(Place::Kind::Output, script_.produced, graph_.value(output.value).type);
      script_.outputs.push_back(place);
    }
  }

  template <class T>
  static Place add(Place::Kind kind, std::vector<T>& list, T entry) {
    list.push_back(std::move(entry));
    return {kind, static_cast<std::int64_t>(list.size()) - 1};
  }

  Place in_arena(ValueId id) const {
    const Placement& placement = plan_.placements[id.at()];
    if (!placement.strides.empty())
      raise(ErrorKind::Unsupported, "the plan places a value with strides; cpu takes dense ones");
    check_range(placement.offset, byte_size(graph_.value(id).type));
    return {Place::Kind::Arena, placement.offset};
  }

  void check_range(std::int64_t offset, std::int64_t bytes) const {
    if (offset < 0 || offset % 64 != 0 || bytes > plan_.arena_bytes ||
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
      result.kernel = kernel_of(node, step);
      for (const ValueId id : node.inputs)
        result.inputs.push_back(id.valid() ? places_[id.at()] : Place{});
      for (const ValueId id : node.outputs)
        result.outputs.push_back(id.valid() ? places_[id.at()] : Place{});
      if (node.lowering.scratch_bytes > 0) {
        check_range(step.scratch_offset, node.lowering.scratch_bytes);
        result.scratch_offset = step.scratch_offset;
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

  Kernel kernel_of(const Node& node, const Step& step) {
    std::optional<Prepared>& prepared = prepared_[step.node.at()];
    if (!prepared) prepared = prepare_as(call_of(graph_, node), node.lowering.implementation);
    if (!prepared || prepared->scratch_bytes > node.lowering.scratch_bytes)
      raise(ErrorKind::Device,
            fmt::format("implementation '{}' is not available on this machine as the graph was "
                        "lowered: lower it again",
                        node.lowering.implementation));
    if (step.parts > 1 && !std::ranges::count(prepared->cuts, step.cut))
      raise(ErrorKind::Unsupported, "the plan cuts an operator that cannot be cut so here");
    return prepared->make({step.cut, step.part, step.parts});
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<Place> places_;
  std::vector<std::optional<Prepared>> prepared_;  // by node: its parts share packed weights
  Script script_;
};

}  // namespace

Script write_script(const Graph& lowered, const Plan& plan) {
  return ScriptWriter(lowered, plan).write();
}

}  // namespace braid::cpu
