#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/kernels/registers.h"

namespace braid::cpu {

/// Steps of a block between two looks at what is to be fetched.
inline constexpr int kChannelsTogether = 4;
/// Blocks of at most so many rows wait for their panels to come from memory, others for arithmetic.
inline constexpr int kRowsBoundByMemory = 2;

/// total[row] += row_at[row][c] times the vectors that `columns` gives, for one channel c after the
/// other: the innermost loop of products by panels. Meanwhile lines of `next`, which it moves on,
/// are fetched.
template <int Lanes, int Rows, int Vectors, FetchRate Rate, class Columns>
[[gnu::always_inline]] inline void add_channels(
    typename Register<Lanes>::Vector (&total)[Rows][Vectors], const float* const (&row_at)[Rows],
    std::int64_t channels, const std::byte*& next, const Columns& columns) {
  const auto step = [&](std::int64_t c) __attribute__((always_inline)) {
    typename Register<Lanes>::Vector of_channel[Vectors];
    columns(of_channel);
#pragma GCC unroll 10
    for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) total[row][v] += of_channel[v] * row_at[row][c];
    if constexpr (Rows <= kRowsBoundByMemory) keep_order_of_loads();
  };
  // With sixteen registers, more steps at a time make compilers run out of them.
  constexpr int together = Lanes < 16 ? 1 : kChannelsTogether;
  const auto steps_up_to = [&](std::int64_t& c, std::int64_t end) __attribute__((always_inline)) {
#pragma GCC unroll 1
    for (; c < end; c += together)
#pragma GCC unroll 4
      for (int i = 0; i < together; ++i) step(c + i);
  };
  const auto fetch = [&](int lines) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (int line = 0; line < lines; ++line) __builtin_prefetch(next + line * kLineBytes, 0, 2);
    next += lines * kLineBytes;
  };
  constexpr int rate = static_cast<int>(Rate);
  constexpr int apart = Rate == FetchRate::Slow ? kFetchStep : kChannelsTogether;
  std::int64_t c = 0;
  while (c + apart <= channels) {
    fetch(rate * apart / static_cast<int>(kFetchStep));
    steps_up_to(c, c + apart);
  }
  for (; c < channels; ++c) step(c);
}

}  // namespace braid::cpu
