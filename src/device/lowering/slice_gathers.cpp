#include "device/lowering/rules.h"
#include "ops/shared/axes.h"
#include "ops/shared/indices.h"
#include "rewrite/edit_builder.h"

namespace braid {
namespace {

/// What a Gather takes with one constant index.
struct OneIndex {
  std::int64_t axis = 0;
  std::int64_t index = 0;
};

std::optional<OneIndex> one_index(const Graph& graph, const Node& gather) {
  const Value& indices = graph.value(gather.inputs[1]);
  if (!indices.constant.defined() || element_count(indices.type) != 1) return std::nullopt;
  const Dims& dims = graph.value(gather.inputs[0]).type.dims;
  OneIndex one{.axis = normal_axis("Gather", gather.attributes.integer("axis", 0),
                                   static_cast<std::int64_t>(dims.size())),
               .index = read_indices(indices.constant.aligned()).front()};
  const std::int64_t length = dims[static_cast<std::size_t>(one.axis)];
  if (one.index < 0) one.index += length;
  if (one.index < 0 || one.index >= length) return std::nullopt;
  return one;
}

std::vector<Match> find_gather_of_one(const Site& site) {
  if (!one_index(site.graph, site.node())) return {};
  return {{.anchor = site.anchor}};
}

bool slice_it(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& gather = graph.node(match.anchor);
  const OneIndex one = *one_index(graph, gather);
  EditBuilder build(graph, allowance, edit);
  const ValueId slice = build.add(
      "Slice", {gather.inputs[0], build.integers("begin", {one.index}),
                build.integers("end", {one.index + 1}), build.integers("axis", {one.axis})});
  const Dims& dims = graph.value(gather.outputs[0]).type.dims;
  build.replace(gather.outputs[0], build.add("Reshape", {slice, build.integers("dims", dims)},
                                             {{"allowzero", 1}}, gather.name));
  return build.affordable();
}

}  // namespace

Rule slice_gathers() {
  return {"slice-gathers",
          "a Gather of one constant index becomes a Slice",
          {"Gather"},
          find_gather_of_one,
          slice_it};
}

}  // namespace braid
