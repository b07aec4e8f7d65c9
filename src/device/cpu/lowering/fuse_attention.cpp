#include <algorithm>
#include <cmath>

#include "device/cpu/lowering/rules.h"
#include "graph/query.h"
#include "ops/fused_attention.h"
#include "ops/shared/epilogue.h"
#include "rewrite/edit_builder.h"

namespace braid::cpu {
namespace {

/// The scores of an attention, as they are found from the softmax backwards.
struct FoundScores {
  NodeId product;
  FusedAttention attention;  ///< its scale and masks alone
  std::vector<ValueId> masks = {};
  Dims dims;  ///< in which the masks meet them
  Dims seen;  ///< the same, perhaps with the leading axes joined again

  void add_mask(const AttentionMask& mask, ValueId value) {
    attention.masks.push_back(mask);
    masks.push_back(value);
  }
};

/// Nodes in a row that are looked through; models of any size are searched in little time and
/// stack.
constexpr int kMostNodesBetween = 12;

std::optional<FoundScores> scores_at(const Graph& graph, ValueId value, int nodes_left);

bool is_f32(const Graph& graph, ValueId value) {
  return value.valid() && graph.value(value).type.element == ElementType::F32;
}

/// Whether a value broadcasts to the scores in all forms that they are seen in: it does not reach
/// the axes that are joined or split.
bool can_mask(const Graph& graph, ValueId value, const FoundScores& scores) {
  const Dims& mask = graph.value(value).type.dims;
  if (scores.masks.size() == FusedAttention::kMostMasks || mask.size() > scores.seen.size())
    return false;
  const std::size_t missing = scores.dims.size() - mask.size();
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 1 && mask[i] != scores.dims[missing + i]) return false;
  const bool whole = mask.size() == scores.seen.size() && mask[0] != 1;
  return !whole || scores.seen == scores.dims;
}

/// The number by which a Mul or Div scales its input `i`; nothing if it does not, or by 0 or no
/// number.
std::optional<double> factor_of(const Graph& graph, const Node& node, std::size_t i) {
  const bool divides = node.op == "Div";
  if ((node.op != "Mul" && !divides) || (divides && i != 0)) return std::nullopt;
  const auto number = number_input(graph, node, 1 - i);
  if (!number || !std::isnormal(static_cast<float>(*number))) return std::nullopt;
  if (graph.value(node.inputs[i]).type != graph.value(node.outputs[0]).type) return std::nullopt;
  return divides ? 1 / *number : *number;
}

std::optional<FoundScores> product_at(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (read_epilogue(node.attributes).activation != nullptr) return std::nullopt;
  if (graph.value(node.inputs[0]).type.dims.size() < 2 ||
      graph.value(node.inputs[1]).type.dims.size() < 2 || graph.is_constant(node.inputs[1]))
    return std::nullopt;
  const Dims& dims = graph.value(node.outputs[0]).type.dims;
  FoundScores scores{.product = id, .attention = {}, .dims = dims, .seen = dims};
  for (const std::size_t i : {Epilogue::kBiasInput, Epilogue::kResidualInput})
    if (const ValueId added = input_of(node, i); added.valid()) scores.add_mask({}, added);
  return scores;
}

std::optional<FoundScores> scaled_at(const Graph& graph, const Node& node, int nodes_left) {
  for (const std::size_t i : {0U, 1U}) {
    const auto factor = factor_of(graph, node, i);
    if (!factor) continue;
    auto scores = scores_at(graph, node.inputs[i], nodes_left);
    if (!scores || !scores->masks.empty()) continue;
    scores->attention.scale *= static_cast<float>(*factor);
    return scores;
  }
  return std::nullopt;
}

std::optional<FoundScores> masked_at(const Graph& graph, const Node& node, int nodes_left) {
  for (const std::size_t i : {0U, 1U}) {
    const ValueId mask = node.inputs[1 - i];
    auto scores = scores_at(graph, node.inputs[i], nodes_left);
    if (!scores || !can_mask(graph, mask, *scores)) continue;
    scores->add_mask({}, mask);
    return scores;
  }
  return std::nullopt;
}

/// Where(mask, scores, number) or Where(mask, number, scores).
std::optional<FoundScores> chosen_at(const Graph& graph, const Node& node, int nodes_left) {
  for (const std::size_t i : {1U, 2U}) {
    const auto fill = number_input(graph, node, 3 - i);
    if (!fill || std::isnan(*fill)) continue;
    auto scores = scores_at(graph, node.inputs[i], nodes_left);
    if (!scores || !can_mask(graph, node.inputs[0], *scores)) continue;
    using Kind = AttentionMask::Kind;
    scores->add_mask({i == 1 ? Kind::Keep : Kind::Drop, static_cast<float>(*fill)}, node.inputs[0]);
    return scores;
  }
  return std::nullopt;
}

/// Whether `fine` is `coarse` with its first axis split into several.
bool splits_first_axis(const Dims& coarse, const Dims& fine) {
  return coarse.size() >= 3 && fine.size() > coarse.size() &&
         std::equal(coarse.begin() + 1, coarse.end(), fine.end() - std::ssize(coarse) + 1);
}

/// A Reshape that takes the windows of an image apart, so that a mask of windows fits, or joins
/// them again.
std::optional<FoundScores> regrouped_at(const Graph& graph, const Node& node, int nodes_left) {
  auto scores = scores_at(graph, node.inputs[0], nodes_left);
  if (!scores) return std::nullopt;
  const Dims& dims = graph.value(node.outputs[0]).type.dims;
  const bool masks_whole = std::ranges::any_of(scores->masks, [&](ValueId mask) {
    const Dims& own = graph.value(mask).type.dims;
    return own.size() == scores->seen.size() && own[0] != 1;
  });
  if (scores->seen == scores->dims && splits_first_axis(scores->seen, dims) && !masks_whole) {
    scores->dims = scores->seen = dims;
    return scores;
  }
  if (!splits_first_axis(dims, scores->dims)) return std::nullopt;
  scores->seen = dims;
  return scores;
}

/// The scores that the value is; nothing if it is none, or if others read it.
std::optional<FoundScores> scores_at(const Graph& graph, ValueId value, int nodes_left) {
  if (nodes_left-- == 0 || !is_f32(graph, value) || !has_single_use(graph, value))
    return std::nullopt;
  const NodeId id = graph.value(value).producer;
  if (!id.valid()) return std::nullopt;
  const Node& node = graph.node(id);
  std::optional<FoundScores> scores;
  if (node.op == "MatMul") scores = product_at(graph, id);
  if (node.op == "Mul" || node.op == "Div") scores = scaled_at(graph, node, nodes_left);
  if (node.op == "Add") scores = masked_at(graph, node, nodes_left);
  if (node.op == "Where") scores = chosen_at(graph, node, nodes_left);
  if (node.op == "Reshape") scores = regrouped_at(graph, node, nodes_left);
  if (!scores || scores->seen != graph.value(value).type.dims) return std::nullopt;
  return scores;
}

/// An attention and what it multiplies.
struct FoundAttention {
  FoundScores scores;
  ValueId values;
};

/// The shares before Where(IsNaN(shares), 0, shares); invalid if the value is something else.
ValueId before_zeroing(const Graph& graph, ValueId value) {
  const NodeId id = made_by(graph, value, "Where");
  if (!id.valid() || !has_single_use(graph, value)) return {};
  const Node& where = graph.node(id);
  const ValueId shares = where.inputs[2];
  const NodeId test = made_by(graph, where.inputs[0], "IsNaN");
  const auto fill = number_input(graph, where, 1);
  if (!test.valid() || graph.node(test).inputs[0] != shares || fill != 0.0 ||
      !has_single_use(graph, where.inputs[0]))
    return {};
  if (graph.value(shares).consumers.size() != 2 || graph.is_output(shares)) return {};
  return graph.value(shares).type == graph.value(value).type ? shares : ValueId{};
}

std::optional<FoundAttention> attention_at(const Graph& graph, const Node& product) {
  if (has_epilogue(product) || graph.is_constant(product.inputs[1])) return std::nullopt;
  ValueId shares = product.inputs[0];
  const ValueId zeroed = shares;
  const ValueId before = before_zeroing(graph, shares);
  if (before.valid()) shares = before;
  const NodeId softmax = made_by(graph, shares, "Softmax");
  if (!softmax.valid() || !has_single_use(graph, zeroed)) return std::nullopt;
  const Node& node = graph.node(softmax);
  const std::size_t rank = graph.value(shares).type.dims.size();
  if (front_axis(node.attributes.integer("axis", -1), rank) != rank - 1) return std::nullopt;
  auto scores = scores_at(graph, node.inputs[0], kMostNodesBetween);
  if (!scores) return std::nullopt;
  scores->attention.undefined_is_zero = before.valid();
  return FoundAttention{std::move(*scores), product.inputs[1]};
}

/// Whether an operand has all axes of the scores before its own two, so that it can be regrouped
/// with them.
bool has_first_axis(const Graph& graph, ValueId value, const Dims& scores) {
  const Dims& dims = graph.value(value).type.dims;
  return dims.size() == scores.size() && dims[0] == scores[0];
}

bool fits(const Graph& graph, const Node& product, const FoundAttention& found) {
  const Node& first = graph.node(found.scores.product);
  const Dims& scores = graph.value(first.outputs[0]).type.dims;
  const Dims& output = graph.value(product.outputs[0]).type.dims;
  if (found.scores.seen != scores || output.size() != scores.size() ||
      !std::equal(scores.begin(), scores.end() - 1, output.begin()))
    return false;
  return found.scores.dims == scores || (has_first_axis(graph, first.inputs[0], scores) &&
                                         has_first_axis(graph, first.inputs[1], scores) &&
                                         has_first_axis(graph, found.values, scores));
}

std::optional<FoundAttention> fitting_attention(const Graph& graph, NodeId id) {
  const Node& product = graph.node(id);
  auto found = attention_at(graph, product);
  if (!found || !fits(graph, product, *found)) return std::nullopt;
  return found;
}

/// An operand without the number that it is multiplied by, which goes to `scale`. A Transpose after
/// that is made again.
ValueId without_factor(const Graph& graph, EditBuilder& build, ValueId value, float& scale,
                       int nodes_left = kMostNodesBetween) {
  const NodeId id = graph.value(value).producer;
  if (!id.valid() || nodes_left-- == 0) return value;
  const Node& node = graph.node(id);
  if (node.op == "Transpose") {
    const ValueId plain = without_factor(graph, build, node.inputs[0], scale, nodes_left);
    return plain == node.inputs[0] ? value : build.add("Transpose", {plain}, node.attributes);
  }
  for (const std::size_t i : {0U, 1U})
    if (const auto factor = factor_of(graph, node, i)) {
      scale *= static_cast<float>(*factor);
      return without_factor(graph, build, node.inputs[i], scale, nodes_left);
    }
  return value;
}

/// The operand with its first axis split as that of the scores is.
ValueId regrouped(EditBuilder& build, ValueId value, const Dims& scores) {
  const Dims& dims = build.dims(value);
  if (dims.size() >= scores.size()) return value;
  Dims split(scores.begin(), scores.end() - std::ssize(dims) + 1);
  split.insert(split.end(), dims.begin() + 1, dims.end());
  return build.add("Reshape", {value, build.integers("windows", split)});
}

std::vector<Match> find_attention(const Site& site) {
  if (!fitting_attention(site.graph, site.anchor)) return {};
  return {{.anchor = site.anchor}};
}

bool join_attention(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const FoundAttention found = *fitting_attention(graph, match.anchor);
  const FoundScores& scores = found.scores;
  const Node& last = graph.node(match.anchor);
  const Node& first = graph.node(scores.product);
  EditBuilder build(graph, allowance, edit);
  FusedAttention attention = scores.attention;
  Node fused;
  fused.op = "FusedAttention";
  fused.name = last.name;
  fused.inputs = {first.inputs[0], first.inputs[1], found.values};
  for (const std::size_t i : {0U, 1U})
    fused.inputs[i] = without_factor(graph, build, fused.inputs[i], attention.scale);
  if (!std::isnormal(attention.scale)) return false;
  const bool split = scores.dims != graph.value(first.outputs[0]).type.dims;
  for (ValueId& input : fused.inputs)
    if (split) input = regrouped(build, input, scores.dims);
  fused.inputs.insert(fused.inputs.end(), scores.masks.begin(), scores.masks.end());
  fused.attributes = fused_attention_attributes(attention);
  const TensorType& type = graph.value(last.outputs[0]).type;
  ValueId result = build.add_node(std::move(fused))[0];
  if (split) result = build.add("Reshape", {result, build.integers("joined", type.dims)});
  build.replace(last.outputs[0], result);
  return build.affordable();
}

}  // namespace

Rule fuse_attention() {
  return {"fuse-attention",
          "two products and the softmax between them become one",
          {"MatMul"},
          find_attention,
          join_attention};
}

}  // namespace braid::cpu
