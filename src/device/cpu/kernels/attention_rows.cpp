#include "device/cpu/kernels/attention_rows.h"

#include <algorithm>
#include <limits>

#include "device/cpu/kernels/fold_register.h"
#include "device/cpu/kernels/registers.h"
#include "device/cpu/kernels/vector_math.h"
#include "device/cpu/machine/machine.h"

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

/// Truths are made as wide as scores in a loop of their own: compilers choose by narrow vectors
/// otherwise.
[[gnu::always_inline]] inline void choose_scores(const std::uint8_t* mask, bool drop, float fill,
                                                 std::int64_t keys, float scale, float* row) {
  constexpr std::int64_t at_once = 64;
  std::int32_t kept[at_once];
  const std::int32_t flip = drop ? 1 : 0;
  for (std::int64_t first = 0; first < keys; first += at_once) {
    const std::int64_t count = std::min(at_once, keys - first);
    for (std::int64_t i = 0; i < count; ++i) kept[i] = mask[first + i] ^ flip;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i)
      row[first + i] = kept[i] != 0 ? row[first + i] * scale : fill;
  }
}

[[gnu::always_inline]] inline void fill_scores(float fill, std::int64_t keys, float* row) {
  for (std::int64_t i = 0; i < keys; ++i) row[i] = fill;
}

[[gnu::always_inline]] inline void scale_scores(std::int64_t keys, float scale, float* row) {
  for (std::int64_t i = 0; i < keys; ++i) row[i] *= scale;
}

[[gnu::always_inline]] inline void cap_scores(float cap, std::int64_t keys, float scale,
                                              float* row) {
  for (std::int64_t i = 0; i < keys; ++i) row[i] = cap * hyperbolic_tangent(row[i] * scale / cap);
}

[[gnu::always_inline]] inline void hide_scores(const AttentionWindow& window, std::int64_t index,
                                               std::int64_t keys, float* row) {
  const std::int64_t end = window.end(index, keys);
  fill_scores(kMinusInfinity, window.first(index, keys), row);
  fill_scores(kMinusInfinity, keys - end, row + end);
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
  Vector sum{};
  for (std::int64_t i = 0; i < count; i += Lanes) {
    Vector x;
    load<Lanes>(x, row + i);
    sum += x;
  }
  return sum_of_lanes<Lanes>(sum);
}

/// Rows are independent: while one waits for its largest number or its sum, the processor goes on
/// with the others.
constexpr std::int64_t kRowsInFlight = 8;

/// Returns the scale that is left to do.
template <int Lanes>
[[gnu::always_inline]] inline float mask_row(const ScoreRows& rows, std::int64_t index,
                                             float* row) {
  float scale = rows.scale;
  if (rows.cap > 0) {
    cap_scores(rows.cap, rows.keys, scale, row);
    scale = 1;
  }
  for (const MaskRows& mask : rows.masks) {
    apply_mask(mask, index, rows.keys, scale, row);
    scale = 1;
  }
  // The largest score stays the largest under a positive scale, which can wait for the exponential.
  if (!(scale > 0)) {
    scale_scores(rows.keys, scale, row);
    scale = 1;
  }
  if (rows.window.hides()) hide_scores(rows.window, rows.first_row + index, rows.keys, row);
  for (std::int64_t i = rows.keys; i % Lanes != 0; ++i) row[i] = kMinusInfinity;
  return scale;
}

/// A row of which only some scores are NaN has no largest number either.
[[gnu::always_inline]] inline bool is_hidden(const float* row, std::int64_t keys) {
  return std::all_of(row, row + keys, [](float x) { return x == kMinusInfinity; });
}

template <int Lanes>
[[gnu::always_inline]] inline void make_rows(const ScoreRows& rows, std::int64_t first,
                                             std::int64_t count) {
  const std::int64_t whole = (rows.keys + Lanes - 1) / Lanes * Lanes;
  float* const scores = rows.scores + first * rows.pitch;
  float scale = 1;
  float shifts[kRowsInFlight];
  float sums[kRowsInFlight];
  for (std::int64_t r = 0; r < count; ++r)
    scale = mask_row<Lanes>(rows, first + r, scores + r * rows.pitch);
  for (std::int64_t r = 0; r < count; ++r) {
    const float* row = scores + r * rows.pitch;
    shifts[r] = largest_of<Lanes>(row, whole) * scale;
    if (rows.hidden_is_zero && shifts[r] == kMinusInfinity && is_hidden(row, rows.keys))
      shifts[r] = 0;
  }
  for (std::int64_t r = 0; r < count; ++r) {
    float* row = scores + r * rows.pitch;
    const float shift = shifts[r];
    for (std::int64_t i = 0; i < whole; ++i) row[i] = exponential_up_to_one(row[i] * scale - shift);
  }
  for (std::int64_t r = 0; r < count; ++r) sums[r] = sum_of<Lanes>(scores + r * rows.pitch, whole);
  for (std::int64_t r = 0; r < count; ++r) {
    const bool undefined = rows.undefined_is_zero && sums[r] != sums[r];
    const bool hidden = rows.hidden_is_zero && sums[r] == 0;
    if (undefined || hidden)
      fill_scores(0, whole, scores + r * rows.pitch);
    else
      scale_scores(whole, 1 / sums[r], scores + r * rows.pitch);
  }
}

template <Isa Set>
void make_shares_on(const ScoreRows& rows) {
  const std::int64_t fitting =
      machine().first_level_bytes / 2 / (rows.pitch * std::int64_t{sizeof(float)});
  const std::int64_t together = std::clamp(fitting, std::int64_t{1}, kRowsInFlight);
  const auto body = [&]() __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < rows.rows; i += together)
      make_rows<kLanesOn<Set>>(rows, i, std::min(together, rows.rows - i));
  };
  run_on<Set>(body);
}

}  // namespace

void make_shares(Isa isa, const ScoreRows& rows) {
  made_for(isa, [&]<Isa Set>() { make_shares_on<Set>(rows); });
}

}  // namespace braid::cpu
