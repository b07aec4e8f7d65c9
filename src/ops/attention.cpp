#include "ops/attention.h"

#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "ops/shared/onnx_type.h"
#include "tensor/element.h"

namespace braid {
namespace {

[[noreturn]] void reject_attention(const OpCall& call, const std::string& why) {
  raise(ErrorKind::Model, fmt::format("Attention of {}, {} and {} {}", to_string(call.input(0)),
                                      to_string(call.input(1)), to_string(call.input(2)), why));
}

/// Number of heads, length and size of a head of q, k or v.
struct Part {
  std::int64_t heads;
  std::int64_t length;
  std::int64_t size;
};

Part part_of(const OpCall& call, std::size_t input, const char* attribute) {
  const Dims& dims = call.dims(input);
  if (dims.size() == 4) {
    if (call.attributes->integer(attribute, dims[1]) != dims[1])
      reject_attention(call, fmt::format("has the attribute {}={}", attribute,
                                         call.attributes->integer(attribute, 0)));
    return {dims[1], dims[2], dims[3]};
  }
  const std::int64_t heads = call.attributes->integer(attribute, 0);
  if (heads < 1 || dims[2] % heads != 0)
    reject_attention(call,
                     fmt::format("needs an attribute {} that divides {}", attribute, dims[2]));
  return {heads, dims[1], dims[2] / heads};
}

void check_cache(const OpCall& call, AttentionGeometry& attention) {
  if (call.has(4) != call.has(5))
    reject_attention(call, "has a past key or a past value, not both");
  if (!call.has(4)) return;
  const Dims& key = call.dims(4);
  if (key.size() != 4)
    reject_attention(call, fmt::format("has a past key of shape {}", to_string(key)));
  attention.past_length = key[2];
  const std::int64_t past = attention.past_length;
  if (key != Dims{attention.batch, attention.kv_heads, past, attention.head_size} ||
      call.dims(5) != Dims{attention.batch, attention.kv_heads, past, attention.v_head_size})
    reject_attention(call, fmt::format("does not fit the past key {} and value {}", to_string(key),
                                       to_string(call.dims(5))));
  checked_add(past, attention.new_length);
}

void check_mask(const OpCall& call, const AttentionGeometry& attention) {
  if (!call.has(3)) return;
  const Dims& mask = call.dims(3);
  const Dims full = {attention.batch, attention.q_heads, attention.q_length, attention.length()};
  bool fits = mask.size() <= 4 && !mask.empty() && mask.back() <= full.back();
  for (std::size_t i = 0; fits && i + 1 < mask.size(); ++i)
    fits = mask[i] == 1 || mask[i] == full[i + full.size() - mask.size()];
  if (!fits)
    reject_attention(call,
                     fmt::format("does not fit the mask {}, expected one that broadcasts to {}",
                                 to_string(mask), to_string(full)));
}

}  // namespace

AttentionGeometry attention_geometry(const OpCall& call) {
  const std::int64_t rank = call.rank(0);
  if ((rank != 3 && rank != 4) || call.rank(1) != rank || call.rank(2) != rank)
    reject_attention(call, "needs three inputs of rank 3 or of rank 4");
  AttentionGeometry attention;
  const Part q = part_of(call, 0, "q_num_heads");
  const Part k = part_of(call, 1, "kv_num_heads");
  const Part v = part_of(call, 2, "kv_num_heads");
  attention.batch = call.dims(0)[0];
  attention.heads_inside = rank == 3;
  attention.q_heads = q.heads;
  attention.q_length = q.length;
  attention.head_size = q.size;
  attention.kv_heads = k.heads;
  attention.new_length = k.length;
  attention.v_head_size = v.size;
  if (call.dims(1)[0] != attention.batch || call.dims(2)[0] != attention.batch ||
      k.size != q.size || v.heads != k.heads || v.length != k.length || k.heads < 1 ||
      q.heads % k.heads != 0)
    reject_attention(call, "does not fit together");
  check_cache(call, attention);
  check_mask(call, attention);
  if (call.has(6) && (call.dims(6) != Dims{attention.batch} ||
                      call.input(6).element != ElementType::I64 || call.has(4)))
    reject_attention(call,
                     fmt::format("cannot take nonpad_kv_seqlen {}", to_string(call.input(6))));

  attention.causal = call.attributes->integer("is_causal", 0) != 0;
  attention.left_window = call.attributes->integer("left_window_size", -1);
  attention.right_window = call.attributes->integer("right_window_size", -1);
  if (attention.left_window < -1 || attention.right_window < -1)
    reject_attention(call, "has a window size below -1");
  attention.scale = call.attributes->real(
      "scale", 1 / std::sqrt(static_cast<float>(std::max<std::int64_t>(q.size, 1))));
  attention.softcap = call.attributes->real("softcap", 0);
  attention.score_mode = call.attributes->integer("qk_matmul_output_mode", 0);
  if (attention.score_mode < 0 || attention.score_mode > 3)
    reject_attention(call, fmt::format("has qk_matmul_output_mode={}", attention.score_mode));
  if (call.attributes->has("softmax_precision") &&
      !is_float_type(element_of_onnx(call.op, call.attributes->integer("softmax_precision", 1))))
    reject_attention(call, "has a softmax_precision that is not a float type");
  return attention;
}

}  // namespace braid
