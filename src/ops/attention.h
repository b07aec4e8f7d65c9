#pragma once

#include "ops/op.h"

namespace braid {

/// Attention(q, k, v, mask?, past_key?, past_value?, nonpad_kv_seqlen?): what attributes and shapes
/// say, checked.
struct AttentionGeometry {
  std::int64_t batch = 0;
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;  ///< divides q_heads; each serves q_heads / kv_heads neighbours
  std::int64_t q_length = 0;
  std::int64_t new_length = 0;   ///< keys given
  std::int64_t past_length = 0;  ///< keys in the cache, before them
  std::int64_t head_size = 0;
  std::int64_t v_head_size = 0;
  bool heads_inside = false;  ///< rank 3: [batch, length, heads * size]
  bool causal = false;
  std::int64_t left_window = -1;   ///< keys before the query that it sees; -1: all
  std::int64_t right_window = -1;  ///< keys after it
  float scale = 0;
  float softcap = 0;            ///< 0: none
  std::int64_t score_mode = 0;  ///< what the fourth output holds

  std::int64_t length() const { return past_length + new_length; }
  bool operator==(const AttentionGeometry&) const = default;
};

/// Throws Model, saying what does not fit.
AttentionGeometry attention_geometry(const OpCall& call);

}  // namespace braid
