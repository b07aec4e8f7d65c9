#pragma once

#include <utility>

#include "device/cpu/kernels/registers.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// Floats of a register of an instruction set.
template <Isa Set>
inline constexpr int kLanesOn = Set == Isa::Avx512 ? 16
                                : Set == Isa::Avx2 ? 8
                                                   : 4;

template <int Lanes, int Away, class Join, int... Lane>
[[gnu::always_inline]] inline void join_lanes(typename Register<Lanes>::Vector& vector,
                                              const Join& join,
                                              std::integer_sequence<int, Lane...> lanes) {
  join(vector, __builtin_shufflevector(vector, vector, (Lane ^ Away)...));
  if constexpr (Away > 1) join_lanes<Lanes, Away / 2>(vector, join, lanes);
}

/// All lanes of a register joined to one number, halves first: `join` joins its second argument to
/// the first.
template <int Lanes, class Join>
[[gnu::always_inline]] inline float folded(typename Register<Lanes>::Vector& vector,
                                           const Join& join) {
  join_lanes<Lanes, Lanes / 2>(vector, join, std::make_integer_sequence<int, Lanes>{});
  return vector[0];
}

template <int Lanes>
[[gnu::always_inline]] inline float sum_of_lanes(typename Register<Lanes>::Vector& vector) {
  return folded<Lanes>(vector,
                       [](auto& a, const auto& b) __attribute__((always_inline)) { a += b; });
}

/// The sums of the lanes of four registers, in the same order as sum_of_lanes() adds each of them
/// up. Halves of two registers are added as one, then quarters of four:
///
///     a: [a0 a1 a2 a3]  b: [b0 b1 b2 b3]     [a0+a2 a1+a3 b0+b2 b1+b3]   and the same of c and d
template <int Lanes, int... Lane>
[[gnu::always_inline]] inline void sum_four(const typename Register<Lanes>::Vector (&registers)[4],
                                            float (&sums)[4],
                                            std::integer_sequence<int, Lane...> lanes) {
  using Vector = typename Register<Lanes>::Vector;
  constexpr int half = Lanes / 2;
  constexpr int quarter = Lanes / 4;
  Vector pairs[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const Vector& a = registers[2 * i];
    const Vector& b = registers[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, (Lane < half ? Lane : Lanes + Lane - half)...) +
               __builtin_shufflevector(a, b, (Lane < half ? Lane + half : Lanes + Lane)...);
  }
  Vector all = __builtin_shufflevector(
                   pairs[0], pairs[1],
                   (Lane / half * Lanes + Lane / quarter % 2 * half + Lane % quarter)...) +
               __builtin_shufflevector(
                   pairs[0], pairs[1],
                   (Lane / half * Lanes + Lane / quarter % 2 * half + Lane % quarter + quarter)...);
  if constexpr (quarter > 1)
    join_lanes<Lanes, quarter / 2>(
        all, [](auto& a, const auto& b) __attribute__((always_inline)) { a += b; }, lanes);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sums[i] = all[i * quarter];
}

}  // namespace braid::cpu
