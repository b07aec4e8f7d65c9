#include <algorithm>

#include "device/cpu/kernels/broadcast_rows.h"
#include "ops/kernels_cpu.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

/// to[i] = chosen[i] ? a[i A] : b[i B], by masks, which become vector code for any size of T.
template <int A, int B, class T>
[[gnu::always_inline]] inline void choose_row(const bool* chosen, const T* a, const T* b,
                                              T* __restrict to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto mask = static_cast<T>(T{0} - static_cast<T>(chosen[i]));
    to[i] = static_cast<T>((a[i * A] & mask) | (b[i * B] & ~mask));
  }
}

template <class T>
[[gnu::always_inline]] inline void repeat_row(const T* from, std::int64_t step, T* __restrict to,
                                              std::int64_t count) {
  if (step == 1)
    std::copy_n(from, count, to);
  else
    std::fill_n(to, count, *from);
}

/// A row of which each operand runs or stands still.
template <class T>
[[gnu::always_inline]] inline void choose_row(const bool* chosen, const T* a, const T* b,
                                              const std::int64_t* steps, T* to,
                                              std::int64_t count) {
  if (steps[0] == 0)
    return *chosen ? repeat_row(a, steps[1], to, count) : repeat_row(b, steps[2], to, count);
  if (steps[1] == 1)
    return steps[2] == 1 ? choose_row<1, 1>(chosen, a, b, to, count)
                         : choose_row<1, 0>(chosen, a, b, to, count);
  return steps[2] == 1 ? choose_row<0, 1>(chosen, a, b, to, count)
                       : choose_row<0, 0>(chosen, a, b, to, count);
}

template <class T>
void choose(const BroadcastRows& rows, const KernelArgs& args) {
  rows.each([&](const std::int64_t* from, const std::int64_t* steps, std::int64_t to,
                std::int64_t count) {
    on_best_isa([&]() __attribute__((always_inline)) {
      choose_row(args.in<bool>(0) + from[0], args.in<T>(1) + from[1], args.in<T>(2) + from[2],
                 steps, args.out<T>(0) + to, count);
    });
  });
}

}  // namespace

std::optional<Way> prepare_where(const OpCall& call) {
  return dispatch_size(call.outputs[0].element, [&](auto tag) {
    return prepare_rows(call, "where", choose<typename decltype(tag)::type>);
  });
}

}  // namespace braid::cpu
