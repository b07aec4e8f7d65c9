#include <algorithm>

#include "graph/query.h"
#include "rewrite/canonical/host.h"
#include "rewrite/convolution.h"
#include "rewrite/edit_builder.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// Three matrices, or batches of them, in a row.
struct MatMulRow {
  ValueId a;
  ValueId b;
  ValueId c;
};

/// A product without epilogue that is made for one reader alone.
NodeId bare_matmul(const Graph& graph, ValueId value) {
  const NodeId id = made_by(graph, value, "MatMul");
  const bool fits = id.valid() && has_single_use(graph, value) &&
                    graph.node(id).inputs.size() == 2 && !has_activation(graph.node(id));
  return fits ? id : NodeId{};
}

/// Whether both have the same batch, or the second is one matrix for all.
bool share_batch(const Dims& a, const Dims& b, bool may_be_single) {
  if (a.size() < 2 || b.size() < 2) return false;
  if (may_be_single && b.size() == 2) return true;
  return a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
}

/// Multiply-adds of (a b) c for each batch, less those of a (b c).
std::int64_t saved_by_right(const Dims& a, const Dims& b, const Dims& c) {
  const std::int64_t rows = a[a.size() - 2];
  const std::int64_t first = a.back();
  const std::int64_t second = b.back();
  const std::int64_t columns = c.back();
  return rows * second * (first + columns) - first * columns * (second + rows);
}

/// The products in the other order, if they are less work then. The parameter says on which side of
/// the outer product the inner one is.
std::vector<Match> find_matmuls_in_row(const Site& site) {
  const Graph& graph = site.graph;
  const std::vector<ValueId>& inputs = site.node().inputs;
  std::vector<Match> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const NodeId id = bare_matmul(graph, inputs[side]);
    if (!id.valid()) continue;
    const std::vector<ValueId>& inner = graph.node(id).inputs;
    const MatMulRow row = side == 0 ? MatMulRow{inner[0], inner[1], inputs[1]}
                                    : MatMulRow{inputs[0], inner[0], inner[1]};
    const Dims& a = graph.value(row.a).type.dims;
    const Dims& b = graph.value(row.b).type.dims;
    const Dims& c = graph.value(row.c).type.dims;
    if (!share_batch(a, b, false) || !share_batch(a, c, true)) continue;
    if (graph.is_constant(row.b) && graph.is_constant(side == 0 ? row.c : row.a)) continue;
    const std::int64_t saved = saved_by_right(a, b, c);
    if (side == 0 ? saved > 0 : saved < 0)
      found.push_back({.anchor = site.anchor,
                       .nodes = {id},
                       .values = {row.a, row.b, row.c},
                       .parameters = {static_cast<std::int64_t>(side)}});
  }
  return found;
}

bool multiply_in_other_order(const Graph& graph, const Match& match, Allowance& allowance,
                             GraphEdit& edit) {
  const MatMulRow row{match.values[0], match.values[1], match.values[2]};
  Node outer = graph.node(match.anchor);
  const ValueId old = outer.outputs[0];
  EditBuilder build(graph, allowance, edit);
  const bool right_first = match.parameters[0] == 0;
  const ValueId inner =
      build.add("MatMul", right_first ? std::vector{row.b, row.c} : std::vector{row.a, row.b}, {},
                name_of(graph, match.nodes[0]));
  outer.inputs[0] = right_first ? row.a : inner;
  outer.inputs[1] = right_first ? inner : row.c;
  build.replace(old, build.add_node(std::move(outer))[0]);
  return build.affordable();
}

}  // namespace

SearchedRule associate_matmuls() {
  return {{"associate-matmuls",
           "multiply three matrices in the order that is less work",
           {"MatMul"},
           find_matmuls_in_row,
           multiply_in_other_order},
          "S10",
          "(a b) c = a (b c)"};
}

}  // namespace braid
