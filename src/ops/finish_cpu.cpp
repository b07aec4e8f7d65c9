#include "ops/finish_cpu.h"

#include "device/cpu/isa.h"
#include "ops/vector_math_cpu.h"

namespace braid::cpu {
namespace {

template <class F>
[[gnu::always_inline]] inline void for_rows(const ResultRows& results, const F& f) {
  for (std::int64_t r = 0; r < results.rows; ++r) f(r, results.first + r * results.stride);
}

template <class F>
[[gnu::always_inline]] inline void map(const ResultRows& results, const F& f) {
  for_rows(results, [&](std::int64_t, float* row) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < results.columns; ++i) row[i] = f(row[i]);
  });
}

[[gnu::always_inline]] inline void activate(const Epilogue& epilogue, const ResultRows& results) {
  const float alpha = epilogue.alpha;
  const float beta = epilogue.beta;
  switch (epilogue.activation) {
    case Activation::Relu:
      return map(results, [=](float x) __attribute__((always_inline)) { return x < 0 ? 0.0F : x; });
    case Activation::LeakyRelu:
      return map(results,
                 [=](float x) __attribute__((always_inline)) { return x < 0 ? alpha * x : x; });
    case Activation::Clip:
      return map(results,
                 [=](float x) __attribute__((always_inline)) { return clamp(x, alpha, beta); });
    case Activation::Sigmoid:
      return map(results, [=](float x) __attribute__((always_inline)) { return logistic(x); });
    case Activation::HardSigmoid:
      return map(results, [=](float x) __attribute__((always_inline)) {
        return clamp(alpha * x + beta, 0, 1);
      });
    case Activation::HardSwish:
      return map(results, [=](float x) __attribute__((always_inline)) {
        return x * clamp(x * (1.0F / 6) + 0.5F, 0, 1);
      });
    case Activation::Silu:
      return map(results, [=](float x) __attribute__((always_inline)) { return x * logistic(x); });
    case Activation::Tanh:
      return map(results,
                 [=](float x) __attribute__((always_inline)) { return hyperbolic_tangent(x); });
    case Activation::Gelu:
      return map(results, [=](float x) __attribute__((always_inline)) {
        return 0.5F * x * (1 + error_function(x * 0.707106781F));
      });
    case Activation::GeluTanh:
      // 0.5 (1 + tanh(u)) is the logistic function of 2u.
      return map(results, [=](float x) __attribute__((always_inline)) {
        return x * logistic(1.59576912F * (x + 0.044715F * x * x * x));
      });
    case Activation::Elu:
      return map(results, [=](float x) __attribute__((always_inline)) {
        const float below = alpha * exponential_minus_one(x);
        return x < 0 ? below : x;
      });
    case Activation::None:
      return;
  }
}

}  // namespace

void finish(const Epilogue& epilogue, const ResultRows& results, const float* bias,
            const float* residual, std::int64_t residual_stride) {
  on_best_isa([&]() __attribute__((always_inline)) {
    if (bias != nullptr)
      for_rows(results, [&](std::int64_t, float* row) __attribute__((always_inline)) {
        for (std::int64_t i = 0; i < results.columns; ++i) row[i] += bias[i];
      });
    if (residual != nullptr)
      for_rows(results, [&](std::int64_t r, float* row) __attribute__((always_inline)) {
        const float* added = residual + r * residual_stride;
        for (std::int64_t i = 0; i < results.columns; ++i) row[i] += added[i];
      });
    activate(epilogue, results);
  });
}

}  // namespace braid::cpu
