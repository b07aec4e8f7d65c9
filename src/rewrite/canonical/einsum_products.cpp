#include <algorithm>

#include "ops/call.h"
#include "ops/einsum.h"
#include "rewrite/canonical/rules.h"
#include "rewrite/edit_builder.h"

namespace braid {
namespace {

using Labels = std::vector<std::size_t>;

/// The labels of two operands by what a product does with them, those of the output in its order.
struct ProductLabels {
  Labels batch;  ///< both have them, and the output
  Labels left;
  Labels right;
  Labels summed;
};

/// An operand's labels in the order of its axes, without axes that are repeated along their label.
Labels own_labels(const EinsumGeometry& einsum, std::size_t operand, const Dims& dims) {
  Labels own;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (const std::size_t label = einsum.labels[operand][axis]; dims[axis] == einsum.extents[label])
      own.push_back(label);
  return own;
}

bool has_twice(Labels labels) {
  std::ranges::sort(labels);
  return std::ranges::adjacent_find(labels) != labels.end();
}

bool contains(const Labels& labels, std::size_t label) {
  return std::ranges::find(labels, label) != labels.end();
}

/// Nothing if an operand alone is summed along a label.
std::optional<ProductLabels> product_labels(const EinsumGeometry& einsum, const Labels& a,
                                            const Labels& b) {
  ProductLabels product;
  for (std::size_t label = 0; label < einsum.extents.size(); ++label) {
    const bool in_a = contains(a, label);
    const bool in_b = contains(b, label);
    const bool given = label < einsum.output_rank;
    if (!given && in_a != in_b && einsum.extents[label] != 1) return std::nullopt;
    if (given)
      (in_a && in_b ? product.batch : in_a ? product.left : product.right).push_back(label);
  }
  for (const std::size_t label : a)  // in whose order they lie, so that `a` need not be moved
    if (label >= einsum.output_rank && contains(b, label)) product.summed.push_back(label);
  return product;
}

std::vector<Match> find_product(const Site& site) {
  const OpCall call = call_of(site.graph, site.node());
  if (call.inputs.size() != 2 || !all_f32(call)) return {};
  const EinsumGeometry einsum = einsum_geometry(call);
  if (std::ranges::count(einsum.extents, 0) > 0) return {};
  if (has_twice(einsum.labels[0]) || has_twice(einsum.labels[1])) return {};
  const auto labels = product_labels(einsum, own_labels(einsum, 0, call.dims(0)),
                                     own_labels(einsum, 1, call.dims(1)));
  if (!labels) return {};
  // What comes first in the output, or is constant, stands where products like it best.
  const bool turns = labels->right < labels->left;
  const bool first_constant = site.graph.is_constant(site.node().inputs[0]);
  const bool second_constant = site.graph.is_constant(site.node().inputs[1]);
  const bool swapped =
      first_constant == second_constant ? turns && !labels->right.empty() : first_constant;
  return {{.anchor = site.anchor, .parameters = {swapped ? 1 : 0}}};
}

/// Adds an Einsum's operands and result as a product has them.
class EinsumProduct {
 public:
  EinsumProduct(EditBuilder& build, const EinsumGeometry& einsum) : build_(build), e_(einsum) {}

  /// The operand with its labels in groups, each of which is an axis; with the batch's before it.
  ValueId operand(ValueId x, const Labels& own, const Labels& batch, const Labels& rows,
                  const Labels& columns) {
    Labels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    Labels kept;
    std::ranges::copy_if(own, std::back_inserter(kept),
                         [&](std::size_t label) { return contains(order, label); });
    x = transposed(reshaped(x, extents(kept)), kept, order);
    Dims dims = extents(batch);
    dims.insert(dims.end(), {element_count(extents(rows)), element_count(extents(columns))});
    return reshaped(x, dims);
  }

  /// [batch, left, right] as the output.
  ValueId result(ValueId y, const ProductLabels& labels) {
    Labels made = labels.batch;
    made.insert(made.end(), labels.left.begin(), labels.left.end());
    made.insert(made.end(), labels.right.begin(), labels.right.end());
    Labels wanted = made;
    std::ranges::sort(wanted);
    return transposed(reshaped(y, extents(made)), made, wanted);
  }

 private:
  Dims extents(const Labels& labels) const {
    Dims dims;
    for (const std::size_t label : labels) dims.push_back(e_.extents[label]);
    return dims;
  }

  ValueId reshaped(ValueId x, const Dims& dims) {
    return build_.dims(x) == dims ? x : build_.add("Reshape", {x, build_.integers("shape", dims)});
  }

  ValueId transposed(ValueId x, const Labels& from, const Labels& to) {
    if (from == to) return x;
    Dims axes;
    for (const std::size_t label : to)
      axes.push_back(std::ranges::find(from, label) - from.begin());
    return build_.add("Transpose", {x}, {{"perm", axes}});
  }

  EditBuilder& build_;
  const EinsumGeometry& e_;
};

bool write_as_product(const Graph& graph, const Match& match, Allowance& allowance,
                      GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const OpCall call = call_of(graph, node);
  const EinsumGeometry einsum = einsum_geometry(call);
  const std::size_t a = match.parameters[0] != 0 ? 1 : 0;
  const std::size_t b = 1 - a;
  const Labels own_a = own_labels(einsum, a, call.dims(a));
  const Labels own_b = own_labels(einsum, b, call.dims(b));
  const ProductLabels labels = *product_labels(einsum, own_a, own_b);
  EditBuilder build(graph, allowance, edit);
  EinsumProduct product(build, einsum);
  const ValueId left =
      product.operand(node.inputs[a], own_a, labels.batch, labels.left, labels.summed);
  const ValueId right =
      product.operand(node.inputs[b], own_b, labels.batch, labels.summed, labels.right);
  const ValueId y =
      build.add(labels.summed.empty() ? "Mul" : "MatMul", {left, right}, {}, node.name);
  build.replace(node.outputs[0], product.result(y, labels));
  return build.affordable();
}

}  // namespace

Rule einsum_products() {
  return {"einsum-products",
          "write an Einsum of two operands as a product of matrices",
          {"Einsum"},
          find_product,
          write_as_product};
}

}  // namespace braid
