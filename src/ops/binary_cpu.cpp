#include <array>
#include <memory>

#include "device/cpu/isa.h"
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

Pairing pairing_of(const OpCall& call, std::size_t a, std::size_t b) {
  const Dims& dims = call.outputs[0].dims;
  Pairing pairing = {
      dims, {broadcast_strides(call.dims(a), dims), broadcast_strides(call.dims(b), dims)}};
  join_axes(pairing.dims, pairing.strides);
  return pairing;
}

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
void combine(const Pairing& pairing, const float* a, const float* b, float* to, const F& f) {
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
  prepared.make = [pairing = pairing_of(call, 0, 1), f](const Part&) -> Kernel {
    return [pairing, f](const KernelArgs& args) {
      combine(pairing, args.in<float>(0), args.in<float>(1), args.out<float>(0), f);
    };
  };
  return prepared;
}

/// Folds any number of inputs from the left, in the output.
template <class F>
std::optional<Prepared> prepare_fold(const OpCall& call, F f) {
  if (!all_f32(call)) return std::nullopt;
  if (call.inputs.size() < 2) return std::nullopt;
  std::vector<Pairing> pairings = {pairing_of(call, 0, 1)};
  OpCall next = call;
  for (std::size_t i = 2; i < call.inputs.size(); ++i) {
    next.inputs[0] = &next.outputs[0];
    pairings.push_back(pairing_of(next, 0, i));
  }
  Prepared prepared;
  prepared.implementation = "fold";
  prepared.make = [pairings, f](const Part&) -> Kernel {
    return [pairings, f](const KernelArgs& args) {
      const float* left = args.in<float>(0);
      for (std::size_t i = 0; i < pairings.size(); ++i) {
        combine(pairings[i], left, args.in<float>(i + 1), args.out<float>(0), f);
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
