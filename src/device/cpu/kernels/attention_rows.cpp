#include "device/cpu/kernels/attention_rows.h"

#include <limits>

#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/kernels/registers.h"
#include "device/cpu/kernels/vector_math.h"

/// The loops say that nothing overlaps: a row of scores is no part of a mask.

namespace braid::cpu {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

[[gnu::always_inline]] inline void add_mask(const float* mask, std::int64_t step, std::int64_t keys,
                                            float scale, float* row) {
  if (step == 0) {
    const float added = *mask;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < keys; ++i) row[i] = row[i] * scale + added;
    return;
  }
#pragma GCC ivdep
  for (std::int64_t i = 0; i < keys; ++i) row[i] = row[i] * scale + mask[i];
}

[[gnu::always_inline]] inline void choose_scores(const std::uint8_t* mask, bool drop, float fill,
                                                 std::int64_t keys, float scale, float* row) {
  const std::uint8_t filled = drop ? 1 : 0;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < keys; ++i)
    row[i] = (mask[i] != 0 ? 1 : 0) == filled ? fill : row[i] * scale;
}

[[gnu::always_inline]] inline void fill_scores(float fill, std::int64_t keys, float* row) {
  for (std::int64_t i = 0; i < keys; ++i) row[i] = fill;
}

[[gnu::always_inline]] inline void scale_scores(std::int64_t keys, float scale, float* row) {
  for (std::int64_t i = 0; i < keys; ++i) row[i] *= scale;
}

/// row = mask(scale * row)
[[gnu::always_inline]] inline void apply_mask(const MaskRows& mask, std::int64_t row_index,
                                              std::int64_t keys, float scale, float* row) {
  using Kind = AttentionMask::Kind;
  const std::int64_t at = row_index * mask.row_step;
  if (mask.mask.kind == Kind::Add)
    return add_mask(reinterpret_cast<const float*>(mask.from) + at, mask.key_step, keys, scale,
                    row);
  const auto* truths = reinterpret_cast<const std::uint8_t*>(mask.from) + at;
  const bool drop = mask.mask.kind == Kind::Drop;
  if (mask.key_step != 0) return choose_scores(truths, drop, mask.mask.fill, keys, scale, row);
  if ((*truths != 0) == drop) return fill_scores(mask.mask.fill, keys, row);
  scale_scores(keys, scale, row);
}

/// All lanes of a register joined to one number, halves first: `join` joins the second register to
/// the first.
template <int Lanes, class Join>
[[gnu::always_inline]] inline float folded(const typename Register<Lanes>::Vector& vector,
                                           const Join& join) {
  if constexpr (Lanes == 1) {
    return vector;
  } else {
    constexpr int half = Lanes / 2;
    typename Register<half>::Vector low;
    typename Register<half>::Vector high;
    float lanes[Lanes];
    store<Lanes>(vector, lanes);
    load<half>(low, lanes);
    load<half>(high, lanes + half);
    join(low, high);
    return folded<half>(low, join);
  }
}

/// The largest number of a row of whole vectors.
template <int Lanes>
[[gnu::always_inline]] inline float largest_of(const float* row, std::int64_t count) {
  using Vector = typename Register<Lanes>::Vector;
  const auto keep_larger = [](auto& a, const auto& b)
                               __attribute__((always_inline)) { a = b > a ? b : a; };
  Vector largest = kMinusInfinity - Vector{};
  for (std::int64_t i = 0; i < count; i += Lanes) {
    Vector x;
    load<Lanes>(x, row + i);
    keep_larger(largest, x);
  }
  return folded<Lanes>(largest, keep_larger);
}

template <int Lanes>
[[gnu::always_inline]] inline float sum_of(const float* row, std::int64_t count) {
  using Vector = typename Register<Lanes>::Vector;
  const auto add = [](auto& a, const auto& b) __attribute__((always_inline)) { a += b; };
  Vector sum{};
  for (std::int64_t i = 0; i < count; i += Lanes) {
    Vector x;
    load<Lanes>(x, row + i);
    add(sum, x);
  }
  return folded<Lanes>(sum, add);
}

template <int Lanes>
[[gnu::always_inline]] inline void make_row(const ScoreRows& rows, std::int64_t index) {
  float* row = rows.scores + index * rows.pitch;
  const std::int64_t keys = rows.keys;
  const std::int64_t whole = (keys + Lanes - 1) / Lanes * Lanes;
  float scale = rows.scale;
  for (const MaskRows& mask : rows.masks) {
    apply_mask(mask, index, keys, scale, row);
    scale = 1;
  }
  // The largest score stays the largest under a positive scale, which can wait for the exponential.
  if (!(scale > 0)) {
    scale_scores(keys, scale, row);
    scale = 1;
  }
  for (std::int64_t i = keys; i < whole; ++i) row[i] = kMinusInfinity;
  const float shift = largest_of<Lanes>(row, whole) * scale;
  for (std::int64_t i = 0; i < whole; ++i) row[i] = exponential_up_to_one(row[i] * scale - shift);
  const float sum = sum_of<Lanes>(row, whole);
  if (rows.undefined_is_zero && sum != sum) return fill_scores(0, whole, row);
  scale_scores(whole, 1 / sum, row);
}

template <Isa Set>
constexpr PanelShape kShapeOn = Set == Isa::Avx512 ? kAvx512Shape
                                : Set == Isa::Avx2 ? kAvx2Shape
                                                   : kBaselineShape;

template <Isa Set>
void make_shares_on(const ScoreRows& rows) {
  const auto body = [&]() __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < rows.rows; ++i)
      make_row<static_cast<int>(kShapeOn<Set>.lanes)>(rows, i);
  };
  run_on<Set>(body);
}

}  // namespace

void make_shares(Isa isa, const ScoreRows& rows) {
  made_for(isa, [&]<Isa Set>() { make_shares_on<Set>(rows); });
}

}  // namespace braid::cpu
