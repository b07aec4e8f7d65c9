#include "device/cpu/kernels/attention_direct.h"

#include "device/cpu/kernels/fold_register.h"

namespace braid::cpu {
namespace {

/// Registers whose sums are under way at once, so that none waits for its last addition.
constexpr int kSumsAtOnce = 4;

/// The scores of one key or of four for one row. Every score is added up in the same order, however
/// many keys there are.
template <int Lanes, int Keys>
[[gnu::always_inline]] inline void score_keys(const DirectScores& s, const float* query,
                                              std::int64_t first, float* to) {
  using Vector = typename Register<Lanes>::Vector;
  const float* keys = s.keys.first + first * s.keys.step;
  Vector sums[Keys] = {};
  std::int64_t d = 0;
  for (; d + Lanes <= s.depth; d += Lanes) {
    Vector q;
    load<Lanes>(q, query + d);
#pragma GCC unroll 4
    for (int k = 0; k < Keys; ++k) {
      Vector key;
      load<Lanes>(key, keys + k * s.keys.step + d);
      sums[k] += q * key;
    }
  }
  float results[Keys];
  if constexpr (Keys == 1)
    results[0] = sum_of_lanes<Lanes>(sums[0]);
  else
    sum_four<Lanes>(sums, results, std::make_integer_sequence<int, Lanes>{});
#pragma GCC unroll 4
  for (int k = 0; k < Keys; ++k) {
    float sum = results[k];
    for (std::int64_t rest = d; rest < s.depth; ++rest)
      sum += query[rest] * keys[k * s.keys.step + rest];
    to[first + k] = sum;
  }
}

template <int Lanes>
[[gnu::always_inline]] inline void score(const DirectScores& s) {
  std::int64_t key = 0;
  for (; key + kSumsAtOnce <= s.key_count; key += kSumsAtOnce)
    for (std::int64_t r = 0; r < s.rows; ++r)
      score_keys<Lanes, kSumsAtOnce>(s, s.queries.first + r * s.queries.step, key,
                                     s.to + r * s.to_step);
  for (; key < s.key_count; ++key)
    for (std::int64_t r = 0; r < s.rows; ++r)
      score_keys<Lanes, 1>(s, s.queries.first + r * s.queries.step, key, s.to + r * s.to_step);
}

/// Rows go through the values together, so that these are read once.
template <int Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void weigh_columns(const DirectSums& s, std::int64_t row,
                                                 std::int64_t column) {
  using Vector = typename Register<Lanes>::Vector;
  const float* shares = s.shares.first + row * s.shares.step;
  const float* value = s.values.first + column;
  Vector sums[Rows][Vectors] = {};
  for (std::int64_t k = 0; k < s.key_count; ++k, value += s.values.step) {
    Vector values[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) load<Lanes>(values[v], value + v * Lanes);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sums[r][v] += values[v] * shares[r * s.shares.step + k];
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      store<Lanes>(sums[r][v], s.to + (row + r) * s.to_step + column + v * Lanes);
}

/// The columns from `column` on; what is less than a vector goes to vectors of half the size.
template <int Lanes, int Rows>
[[gnu::always_inline]] inline void weigh(const DirectSums& s, std::int64_t row,
                                         std::int64_t column) {
  constexpr int at_once = Lanes == kLanesOn<Isa::Avx512> || Rows == 1 ? kSumsAtOnce : 2;
  for (; column + at_once * Lanes <= s.columns; column += at_once * Lanes)
    weigh_columns<Lanes, Rows, at_once>(s, row, column);
  for (; column + Lanes <= s.columns; column += Lanes)
    weigh_columns<Lanes, Rows, 1>(s, row, column);
  if constexpr (Lanes > 1) weigh<Lanes / 2, Rows>(s, row, column);
}

template <int Lanes>
[[gnu::always_inline]] inline void weigh_rows(const DirectSums& s) {
  constexpr int together = 4;
  std::int64_t row = 0;
  for (; row + together <= s.rows; row += together) weigh<Lanes, together>(s, row, 0);
  for (; row < s.rows; ++row) weigh<Lanes, 1>(s, row, 0);
}

}  // namespace

void make_direct_scores(Isa isa, const DirectScores& scores) {
  made_for(isa, [&]<Isa Set>() {
    run_on<Set>([&]() __attribute__((always_inline)) { score<kLanesOn<Set>>(scores); });
  });
}

void make_direct_sums(Isa isa, const DirectSums& sums) {
  made_for(isa, [&]<Isa Set>() {
    run_on<Set>([&]() __attribute__((always_inline)) { weigh_rows<kLanesOn<Set>>(sums); });
  });
}

}  // namespace braid::cpu
