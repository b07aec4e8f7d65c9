#include "ops/shared/elements.h"

#include "ops/catalog.h"

namespace braid {

Elements elements_of(const Node& node) {
  const OpDef* def = find_op(node.op);
  return def == nullptr ? Elements::Computed : def->elements;
}

bool only_renames_dims(const Node& node) { return elements_of(node) == Elements::Renamed; }

bool keeps_elements(const Node& node) {
  return only_renames_dims(node) || elements_of(node) == Elements::Copied;
}

std::vector<std::size_t> permutation_of(const Graph& graph, const Node& transpose) {
  const std::size_t rank = graph.value(transpose.inputs[0]).type.dims.size();
  const auto perm = transpose.attributes.integers("perm");
  std::vector<std::size_t> permutation;
  for (std::size_t i = 0; i < rank; ++i)
    permutation.push_back(perm.empty() ? rank - 1 - i : static_cast<std::size_t>(perm.at(i)));
  return permutation;
}

bool moves_only_unit_axes(const Dims& dims, const std::vector<std::size_t>& permutation) {
  std::size_t last = 0;
  for (std::size_t axis : permutation) {
    if (dims[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace braid
