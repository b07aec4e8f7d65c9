#pragma once

#include <array>

#include "device/cpu/kernels/kernel.h"
#include "device/cpu/machine/isa.h"
#include "ops/shared/strided.h"

namespace braid::cpu {

/// The rows that an elementwise operator, or a part of it, reads and writes. Its inputs, which are
/// all there and row-major, broadcast to its output.
class BroadcastRows {
 public:
  static constexpr std::size_t kMostInputs = 3;

  explicit BroadcastRows(const OpCall& call);
  /// Those of a part, whose cut is one of cuts_in().
  BroadcastRows of(const Part& part) const;

  /// Calls `body(from, steps, to, count)` for each row: `count` elements of input i from from[i] on
  /// that are steps[i] apart, 0 or 1, and those of the output from `to` on.
  template <class Body>
  void each(const Body& body) const {
    std::int64_t to = first_output_;
    each_row(dims_, strides_,
             [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
               std::array<std::int64_t, kMostInputs> from{};
               for (std::size_t i = 0; i < strides_.size(); ++i) from[i] = first_[i] + offsets[i];
               body(from.data(), steps, to, count);
               to += count;
             });
  }

 private:
  TensorType output_;
  Dims dims_;
  std::vector<Dims> strides_;
  std::array<std::int64_t, kMostInputs> first_{};
  std::int64_t first_output_ = 0;
};

using RunRows = void (*)(const BroadcastRows&, const KernelArgs&);
/// A way to run an elementwise operator, whole or in parts, row by row.
Way prepare_rows(const OpCall& call, std::string_view implementation, RunRows run);

/// to[i] = F::of(a[i], b[i]), where each operand runs or stands still.
template <class F, class In, class Out>
[[gnu::always_inline]] inline void do_pairs(const In* a, std::int64_t a_step, const In* b,
                                            std::int64_t b_step, Out* __restrict to,
                                            std::int64_t count) {
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = F::of(a[i], b[i]);
  } else if (a_step == 1) {
    const In y = *b;
    for (std::int64_t i = 0; i < count; ++i) to[i] = F::of(a[i], y);
  } else if (b_step == 1) {
    const In x = *a;
    for (std::int64_t i = 0; i < count; ++i) to[i] = F::of(x, b[i]);
  } else {
    const Out both = F::of(*a, *b);
    for (std::int64_t i = 0; i < count; ++i) to[i] = both;
  }
}

/// F is on two elements of type In and gives one of type Out.
template <class F, class In, class Out>
void run_pairs(const BroadcastRows& rows, const KernelArgs& args) {
  rows.each([&](const std::int64_t* from, const std::int64_t* steps, std::int64_t to,
                std::int64_t count) {
    on_best_isa([&]() __attribute__((always_inline)) {
      do_pairs<F>(args.in<In>(0) + from[0], steps[0], args.in<In>(1) + from[1], steps[1],
                  args.out<Out>(0) + to, count);
    });
  });
}

}  // namespace braid::cpu
