#include <algorithm>
#include <limits>

#include "device/cpu/lowering/rules.h"
#include "graph/query.h"
#include "ops/attention.h"
#include "ops/call.h"
#include "ops/fused_attention.h"
#include "rewrite/edit_builder.h"

namespace braid::cpu {
namespace {

constexpr std::size_t kMask = 3;
constexpr std::size_t kPastKey = 4;
constexpr std::size_t kPastValue = 5;
constexpr std::size_t kKeyCounts = 6;
constexpr std::size_t kScores = 3;  // among the outputs

bool is_wanted(const Graph& graph, const Node& node, std::size_t output) {
  if (output >= node.outputs.size() || !node.outputs[output].valid()) return false;
  const ValueId value = node.outputs[output];
  return !graph.value(value).consumers.empty() || graph.is_output(value);
}

bool has_kernel_types(const OpCall& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.has(i)) continue;
    const bool may_choose = i == kMask && call.input(i).element == ElementType::Bool;
    if (!may_choose && call.input(i).element != ElementType::F32) return false;
    if (element_count(call.input(i)) == 0) return false;
  }
  return true;
}

std::vector<Match> find_plain_attention(const Site& site) {
  const OpCall call = call_of(site.graph, site.node());
  if (!has_kernel_types(call) || call.has(kKeyCounts) ||
      is_wanted(site.graph, site.node(), kScores) || !site.node().outputs[0].valid())
    return {};
  return {{.anchor = site.anchor}};
}

/// The window without those ends that hide nothing.
AttentionWindow window_of(const AttentionGeometry& a) {
  AttentionWindow window{.offset = a.past_length, .before = a.left_window, .after = a.right_window};
  if (a.causal) window.after = 0;
  if (window.after >= a.length() - 1 - window.offset) window.after = -1;
  if (window.before >= window.offset + a.q_length - 1) window.before = -1;
  return window;
}

/// Adds what brings the operands of an Attention into the form of a FusedAttention. Heads that
/// share their keys have an axis of their own; if each has one query only, they are its rows.
class PlainAttention {
 public:
  PlainAttention(EditBuilder& build, const AttentionGeometry& attention)
      : build_(build), a_(attention), window_(window_of(attention)) {}

  const AttentionWindow& window() const { return window_; }

  ValueId queries(ValueId q) {
    q = heads_outside(q, a_.q_heads, a_.q_length, a_.head_size);
    if (!shares()) return q;
    return reshaped(q, joins_heads()
                           ? Dims{a_.batch, a_.kv_heads, group(), a_.head_size}
                           : Dims{a_.batch, a_.kv_heads, group(), a_.q_length, a_.head_size});
  }
  /// Those of the cache and those given, as [batch, heads, length, size].
  ValueId present(ValueId past, ValueId given, std::int64_t size) {
    given = heads_outside(given, a_.kv_heads, a_.new_length, size);
    return past.valid() ? build_.concat({past, given}, 2) : given;
  }
  ValueId keys(ValueId k) { return with_heads_apart(k, a_.length(), a_.head_size); }
  ValueId values(ValueId v) { return with_heads_apart(v, a_.length(), a_.v_head_size); }

  /// The mask as long as the keys, with the axes of the scores.
  ValueId mask(ValueId mask) {
    mask = padded(mask);
    Dims dims = build_.dims(mask);
    if (!shares() || dims.size() < 3) return mask;
    const bool by_head = dims[dims.size() - 3] != 1;
    Dims apart(dims.begin(), dims.end() - 3);
    apart.insert(apart.end(), {by_head ? a_.kv_heads : 1, by_head ? group() : 1});
    apart.insert(apart.end(), dims.end() - (joins_heads() ? 1 : 2), dims.end());
    return reshaped(mask, apart);
  }

  ValueId result(ValueId y) {
    if (shares()) y = reshaped(y, {a_.batch, a_.q_heads, a_.q_length, a_.v_head_size});
    if (!a_.heads_inside) return y;
    return reshaped(heads_swapped(y), {a_.batch, a_.q_length, a_.q_heads * a_.v_head_size});
  }

 private:
  bool shares() const { return a_.q_heads != a_.kv_heads; }
  std::int64_t group() const { return a_.q_heads / a_.kv_heads; }
  bool joins_heads() const { return a_.q_length == 1 && !window_.hides(); }

  ValueId reshaped(ValueId x, const Dims& dims) {
    return build_.add("Reshape", {x, build_.integers("shape", dims)});
  }
  ValueId heads_swapped(ValueId x) {
    return build_.add("Transpose", {x}, {{"perm", Dims{0, 2, 1, 3}}});
  }
  ValueId heads_outside(ValueId x, std::int64_t heads, std::int64_t length, std::int64_t size) {
    return a_.heads_inside ? heads_swapped(reshaped(x, {a_.batch, length, heads, size})) : x;
  }
  ValueId with_heads_apart(ValueId x, std::int64_t rows, std::int64_t columns) {
    if (!shares() || joins_heads()) return x;
    return reshaped(x, {a_.batch, a_.kv_heads, 1, rows, columns});
  }
  ValueId padded(ValueId mask) {
    const TensorType type = build_.type(mask);
    const std::int64_t missing = a_.length() - type.dims.back();
    if (missing == 0) return mask;
    Dims pads(2 * type.dims.size());
    pads.back() = missing;
    std::vector<ValueId> inputs = {mask, build_.integers("pads", pads)};
    if (type.element == ElementType::F32)
      inputs.push_back(
          build_.constant("hidden", Tensor::scalar(-std::numeric_limits<float>::infinity())));
    return build_.add("Pad", std::move(inputs));
  }

  EditBuilder& build_;
  const AttentionGeometry& a_;
  AttentionWindow window_;
};

FusedAttention fused_form(const Graph& graph, const Node& node, const AttentionGeometry& a) {
  FusedAttention fused;
  fused.keys_by_rows = true;
  fused.scale = a.scale;
  fused.cap = std::max(a.softcap, 0.0F);
  fused.window = window_of(a);
  fused.skips_hidden = true;
  if (const ValueId mask = input_of(node, kMask); mask.valid()) {
    const bool chooses = graph.value(mask).type.element == ElementType::Bool;
    fused.masks = {{AttentionMask::Kind::Add, 0}};
    if (chooses)
      fused.masks = {{AttentionMask::Kind::Keep, -std::numeric_limits<float>::infinity()}};
  }
  return fused;
}

bool write_as_fused(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const AttentionGeometry geometry = attention_geometry(call_of(graph, node));
  EditBuilder build(graph, allowance, edit);
  PlainAttention plain(build, geometry);
  const ValueId k = plain.present(input_of(node, kPastKey), node.inputs[1], geometry.head_size);
  const ValueId v = plain.present(input_of(node, kPastValue), node.inputs[2], geometry.v_head_size);
  Node fused;
  fused.op = "FusedAttention";
  fused.name = node.name;
  fused.inputs = {plain.queries(node.inputs[0]), plain.keys(k), plain.values(v)};
  if (const ValueId mask = input_of(node, kMask); mask.valid())
    fused.inputs.push_back(plain.mask(mask));
  fused.attributes = fused_attention_attributes(fused_form(graph, node, geometry));
  build.replace(node.outputs[0], plain.result(build.add_node(std::move(fused))[0]));
  const auto hand_on = [&](std::size_t output, ValueId present) {
    if (!is_wanted(graph, node, output)) return;
    build.replace(node.outputs[output],
                  GraphEdit::is_new(present) ? present : build.add("Identity", {present}));
  };
  hand_on(1, k);
  hand_on(2, v);
  return build.affordable();
}

}  // namespace

Rule plain_attention() {
  return {"plain-attention",
          "an Attention becomes one that has a kernel",
          {"Attention"},
          find_plain_attention,
          write_as_fused};
}

}  // namespace braid::cpu
