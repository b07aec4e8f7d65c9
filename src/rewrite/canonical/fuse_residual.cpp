#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// The sides of an Add that can take in the other side, which must be there before the host can
/// start: waiting for it would make two branches run one after the other that could run side by
/// side. So of two equally deep branches neither swallows the other.
std::vector<Match> find_host_of_residual(const Site& site) {
  const Graph& graph = site.graph;
  const Node& add = site.node();
  if (add.inputs.size() != 2) return {};
  const TensorType& type = graph.value(add.outputs[0]).type;
  if (!is_float_type(type.element)) return {};
  std::vector<Match> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const ValueId sum = add.inputs[side];
    const ValueId residual = add.inputs[1 - side];
    const NodeId host = open_host(graph, sum);
    if (!host.valid() || graph.value(sum).type != type || graph.value(residual).type != type)
      continue;
    if (input_of(graph.node(host), Epilogue::kResidualInput).valid()) continue;
    if (site.places.level(residual) < site.places.level(sum))
      found.push_back({.anchor = site.anchor, .nodes = {host}, .values = {residual}});
  }
  return found;
}

bool add_residual(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  Node host = copy_host(graph.node(match.nodes[0]));
  host.inputs[Epilogue::kResidualInput] = match.values[0];
  const ValueId sum = graph.node(match.anchor).outputs[0];
  edit.replace(sum, edit.add_node(std::move(host), {graph.value(sum).type})[0]);
  return true;
}

}  // namespace

Rule fuse_residual() {
  return {"fuse-residual",
          "add another value inside the operator before it",
          {"Add"},
          find_host_of_residual,
          add_residual};
}

}  // namespace braid
