#include <algorithm>

#include "device/lowering/rules.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

ValueId number(GraphEdit& edit, const std::string& name, std::int64_t x) {
  return edit.add_constant(name, Tensor::of<std::int64_t>({1}, {x}));
}

std::vector<Match> find_split(const Site& site) {
  const auto& outputs = site.node().outputs;
  if (!std::all_of(outputs.begin(), outputs.end(), [](ValueId id) { return id.valid(); }))
    return {};
  return {{.anchor = site.anchor}};
}

bool slice_each_piece(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& split = graph.node(match.anchor);
  const auto rank = static_cast<std::int64_t>(graph.value(split.inputs[0]).type.dims.size());
  const std::int64_t axis = normal_axis("Split", split.attributes.integer("axis", 0), rank);
  const ValueId axes = number(edit, "axis", axis);
  std::int64_t begin = 0;
  for (const ValueId output : split.outputs) {
    const TensorType& type = graph.value(output).type;
    const std::int64_t end = begin + type.dims[static_cast<std::size_t>(axis)];
    Node slice;
    slice.op = "Slice";
    slice.name = split.name;
    slice.inputs = {split.inputs[0], number(edit, "begin", begin), number(edit, "end", end), axes};
    edit.replace(output, edit.add_node(std::move(slice), {type})[0]);
    begin = end;
  }
  return true;
}

}  // namespace

Rule slice_splits() {
  return {"slice-splits",
          "a Split becomes a Slice for each of its outputs",
          {"Split"},
          find_split,
          slice_each_piece};
}

}  // namespace braid
