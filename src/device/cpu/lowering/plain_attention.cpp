#include "device/cpu/lowering/rules.h"
#include "ops/attention.h"
#include "ops/call.h"
#include "ops/fused_attention.h"
#include "rewrite/edit_builder.h"

namespace braid::cpu {
namespace {

/// Whether an Attention is softmax(scale * q x k) x v and nothing else: hidden keys take no part in
/// it, which is more than a mask does.
bool is_plain(const OpCall& call, const AttentionGeometry& attention) {
  constexpr std::size_t operands = 3;
  for (std::size_t i = operands; i < call.inputs.size(); ++i)
    if (call.has(i)) return false;
  const bool sees_all =
      !attention.causal && attention.left_window < 0 && attention.right_window < 0;
  return all_f32(call) && sees_all && attention.softcap == 0 && element_count(call.dims(0)) > 0 &&
         element_count(call.dims(1)) > 0 && element_count(call.dims(2)) > 0;
}

std::vector<Match> find_plain_attention(const Site& site) {
  const OpCall call = call_of(site.graph, site.node());
  if (site.node().outputs.size() != 1 || !is_plain(call, attention_geometry(call))) return {};
  return {{.anchor = site.anchor}};
}

/// Adds what brings the operands of an Attention into the form of a FusedAttention. Heads that
/// share their keys have an axis of their own.
class PlainAttention {
 public:
  PlainAttention(EditBuilder& build, const AttentionGeometry& attention)
      : build_(build), a_(attention) {}

  ValueId queries(ValueId q) {
    q = heads_outside(q, a_.q_heads, a_.q_length, a_.head_size, {0, 2, 1, 3});
    return shares() ? reshaped(q, {a_.batch, a_.kv_heads, group(), a_.q_length, a_.head_size}) : q;
  }
  ValueId keys(ValueId k) {
    k = a_.heads_inside ? heads_outside(k, a_.kv_heads, a_.new_length, a_.head_size, {0, 2, 3, 1})
                        : transposed(k, {0, 1, 3, 2});
    return shares() ? reshaped(k, {a_.batch, a_.kv_heads, 1, a_.head_size, a_.new_length}) : k;
  }
  ValueId values(ValueId v) {
    v = heads_outside(v, a_.kv_heads, a_.new_length, a_.v_head_size, {0, 2, 1, 3});
    return shares() ? reshaped(v, {a_.batch, a_.kv_heads, 1, a_.new_length, a_.v_head_size}) : v;
  }
  ValueId result(ValueId y) {
    if (shares()) y = reshaped(y, {a_.batch, a_.q_heads, a_.q_length, a_.v_head_size});
    if (!a_.heads_inside) return y;
    return reshaped(transposed(y, {0, 2, 1, 3}),
                    {a_.batch, a_.q_length, a_.q_heads * a_.v_head_size});
  }

 private:
  bool shares() const { return a_.q_heads != a_.kv_heads; }
  std::int64_t group() const { return a_.q_heads / a_.kv_heads; }

  ValueId reshaped(ValueId x, const Dims& dims) {
    return build_.add("Reshape", {x, build_.integers("shape", dims)});
  }
  ValueId transposed(ValueId x, const Dims& axes) {
    return build_.add("Transpose", {x}, {{"perm", axes}});
  }
  /// [batch, length, heads * size] with its axes, heads apart, in that order.
  ValueId heads_outside(ValueId x, std::int64_t heads, std::int64_t length, std::int64_t size,
                        const Dims& axes) {
    return a_.heads_inside ? transposed(reshaped(x, {a_.batch, length, heads, size}), axes) : x;
  }

  EditBuilder& build_;
  const AttentionGeometry& a_;
};

bool write_as_fused(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const AttentionGeometry geometry = attention_geometry(call_of(graph, node));
  EditBuilder build(graph, allowance, edit);
  PlainAttention plain(build, geometry);
  FusedAttention attention;
  attention.scale = geometry.scale;
  const ValueId fused = build.add(
      "FusedAttention",
      {plain.queries(node.inputs[0]), plain.keys(node.inputs[1]), plain.values(node.inputs[2])},
      fused_attention_attributes(attention), node.name);
  build.replace(node.outputs[0], plain.result(fused));
  return build.affordable();
}

}  // namespace

Rule plain_attention() {
  return {"plain-attention",
          "an Attention without masks becomes one that has a kernel",
          {"Attention"},
          find_plain_attention,
          write_as_fused};
}

}  // namespace braid::cpu
