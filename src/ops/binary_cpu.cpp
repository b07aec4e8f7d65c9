#include <array>
#include <memory>

#include "device/cpu/isa.h"
#include "device/cpu/part.h"
#include "ops/arithmetic.h"
#include "ops/broadcast.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// The index space of an operation on two operands, its axes joined.
struct Pairing {
  Dims dims;
  std::vector<Dims> strides;
};

Pairing pairing_of(const Dims& a, const Dims& b, const Dims& to) {
  return {to, {broadcast_strides(a, to), broadcast_strides(b, to)}};
}

/// The pairing of a part; where its operands begin is in `first`.
struct PartPairing {
  Dims dims;
  std::vector<Dims> strides;
  std::array<std::int64_t, 2> first = {0, 0};
  std::int64_t first_output = 0;

  PartPairing(Pairing pairing, const TensorType& output, const Part& part)
      : dims(std::move(pairing.dims)), strides(std::move(pairing.strides)) {
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      const auto axis = static_cast<std::size_t>(part.cut.axis);
      for (const std::size_t i : {0, 1}) first[i] = range.begin * strides[i][axis];
      dims[axis] = range.end - range.begin;
      first_output = outermost_range(output, part).begin;
    }
    join_axes(dims, strides);
  }
};

/// to[i] = f(a[i], b[i]) for rows in which each operand runs or stands still.
template <class F>
[[gnu::always_inline]] inline void combine_row(const float* a, std::int64_t a_step, const float* b,
                                               std::int64_t b_step, float* to, std::int64_t count,
                                               const F& f) {
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(a[i], b[i]);
  } else if (a_step == 1 && b_step == 0) {
    const float y = *b;
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(a[i], y);
  } else if (a_step == 0 && b_step == 1) {
    const float x = *a;
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(x, b[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(a[i * a_step], b[i * b_step]);
  }
}

template <class F>
void combine(const PartPairing& pairing, const float* a, const float* b, float* to, const F& f) {
  a += pairing.first[0];
  b += pairing.first[1];
  to += pairing.first_output;
  each_row(pairing.dims, pairing.strides,
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             on_best_isa([&]() __attribute__((always_inline)) {
               combine_row(a + offsets[0], steps[0], b + offsets[1], steps[1], to, count, f);
             });
             to += count;
           });
}

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type == nullptr || type->element != ElementType::F32) return false;
  return call.outputs.size() == 1 && call.outputs[0].element == ElementType::F32;
}

template <class F>
std::optional<Prepared> prepare_binary(const OpCall& call, F f) {
  if (!all_f32(call) || call.inputs.size() != 2) return std::nullopt;
  Prepared prepared;
  prepared.implementation = "binary";
  const TensorType output = call.outputs[0];
  prepared.cuts = cuts_in(output, {});
  prepared.make = [pairing = pairing_of(call.dims(0), call.dims(1), output.dims), output,
                   f](const Part& part) -> Kernel {
    return [mine = PartPairing(pairing, output, part), f](const KernelArgs& args) {
      combine(mine, args.in<float>(0), args.in<float>(1), args.out<float>(0), f);
    };
  };
  return prepared;
}

/// Folds any number of inputs from the left, in the output.
template <class F>
std::optional<Prepared> prepare_fold(const OpCall& call, F f) {
  if (!all_f32(call)) return std::nullopt;
  if (call.inputs.size() < 2) return std::nullopt;
  const TensorType output = call.outputs[0];
  std::vector<Pairing> pairings = {pairing_of(call.dims(0), call.dims(1), output.dims)};
  for (std::size_t i = 2; i < call.inputs.size(); ++i)
    pairings.push_back(pairing_of(output.dims, call.dims(i), output.dims));
  Prepared prepared;
  prepared.implementation = "fold";
  prepared.cuts = cuts_in(output, {});
  prepared.make = [pairings, output, f](const Part& part) -> Kernel {
    std::vector<PartPairing> mine;
    for (const Pairing& pairing : pairings) mine.emplace_back(pairing, output, part);
    return [mine, f](const KernelArgs& args) {
      const float* left = args.in<float>(0);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        combine(mine[i], left, args.in<float>(i + 1), args.out<float>(0), f);
        left = args.out<float>(0);
      }
    };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_add(const OpCall& call) {
  return prepare_fold(call, [](float a, float b) __attribute__((always_inline)) { return a + b; });
}
std::optional<Prepared> prepare_subtract(const OpCall& call) {
  return prepare_binary(call,
                        [](float a, float b) __attribute__((always_inline)) { return a - b; });
}
std::optional<Prepared> prepare_multiply(const OpCall& call) {
  return prepare_binary(call,
                        [](float a, float b) __attribute__((always_inline)) { return a * b; });
}
std::optional<Prepared> prepare_divide(const OpCall& call) {
  return prepare_binary(call,
                        [](float a, float b) __attribute__((always_inline)) { return a / b; });
}
std::optional<Prepared> prepare_minimum(const OpCall& call) {
  return prepare_fold(call, [](float a, float b)
                                __attribute__((always_inline)) { return b < a || b != b ? b : a; });
}
std::optional<Prepared> prepare_maximum(const OpCall& call) {
  return prepare_fold(call, [](float a, float b)
                                __attribute__((always_inline)) { return a < b || b != b ? b : a; });
}

}  // namespace braid::cpu
