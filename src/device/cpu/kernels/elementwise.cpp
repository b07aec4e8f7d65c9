#include "device/cpu/kernels/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "device/cpu/kernels/vector_math.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/onednn/post_ops.h"

namespace braid::cpu {
namespace {

/// The steps of one operand.
[[gnu::always_inline]] inline float absolute(float x, const Block&) { return std::fabs(x); }
[[gnu::always_inline]] inline float ceiling(float x, const Block&) { return round_up(x); }
/// A positive x gives less than 0 below, but for a negative alpha; NaN is neither.
[[gnu::always_inline]] inline float celu(float x, const Block& b) {
  const float below = b.alpha * exponential_minus_one(x / b.alpha);
  return (x < 0 ? 0 : x) + (below > 0 ? 0 : below);
}
[[gnu::always_inline]] inline float clip(float x, const Block& b) {
  return clamp(x, b.alpha, b.beta);
}
[[gnu::always_inline]] inline float cosine_step(float x, const Block&) { return cosine(x); }
[[gnu::always_inline]] inline float elu(float x, const Block& b) {
  const float below = b.alpha * exponential_minus_one(x);
  return x < 0 ? below : x;
}
[[gnu::always_inline]] inline float erf_step(float x, const Block&) { return error_function(x); }
[[gnu::always_inline]] inline float exp_step(float x, const Block&) { return exponential(x); }
[[gnu::always_inline]] inline float floor_step(float x, const Block&) { return round_down(x); }
[[gnu::always_inline]] inline float gelu(float x, const Block&) {
  return 0.5F * x * (1 + error_function(x * 0.707106781F));
}
[[gnu::always_inline]] inline float gelu_tanh(float x, const Block&) {
  return 0.5F * x * (1 + hyperbolic_tangent(0.797884561F * (x + 0.044715F * x * x * x)));
}
[[gnu::always_inline]] inline float hard_sigmoid(float x, const Block& b) {
  return clamp(b.alpha * x + b.beta, 0, 1);
}
[[gnu::always_inline]] inline float hard_swish(float x, const Block&) {
  return x * clamp(x * (1.0F / 6) + 0.5F, 0, 1);
}
[[gnu::always_inline]] inline float leaky_relu(float x, const Block& b) {
  return x < 0 ? b.alpha * x : x;
}
[[gnu::always_inline]] inline float log_step(float x, const Block&) { return logarithm(x); }
/// x tanh(log(1 + e^x)) in one exponential. Beyond 16 the factor is 1 in float.
[[gnu::always_inline]] inline float mish(float x, const Block&) {
  const float e = exponential(x < 16 ? x : 16);
  const float n = e * (e + 2);
  return x * (n / (n + 2));
}
[[gnu::always_inline]] inline float negative(float x, const Block&) { return -x; }
[[gnu::always_inline]] inline float reciprocal(float x, const Block&) { return 1 / x; }
[[gnu::always_inline]] inline float relu(float x, const Block&) { return x < 0 ? 0 : x; }
[[gnu::always_inline]] inline float round_step(float x, const Block&) { return round_half_even(x); }
/// Its beta is ONNX's gamma.
[[gnu::always_inline]] inline float selu(float x, const Block& b) {
  const float below = b.alpha * exponential_minus_one(x);
  return b.beta * (x > 0 ? x : below);
}
/// Its alpha is ONNX's bias, its beta lambd.
[[gnu::always_inline]] inline float shrink(float x, const Block& b) {
  const float above = x > b.beta ? x - b.alpha : 0;
  return x < -b.beta ? x + b.alpha : above;
}
[[gnu::always_inline]] inline float sigmoid(float x, const Block&) { return logistic(x); }
[[gnu::always_inline]] inline float sign(float x, const Block&) {
  const float above = x > 0 ? 1 : 0;
  const float either = x < 0 ? -1 : above;
  return x != x ? x : either;
}
[[gnu::always_inline]] inline float sine_step(float x, const Block&) { return sine(x); }
[[gnu::always_inline]] inline float softplus(float x, const Block&) { return soft_plus(x); }
[[gnu::always_inline]] inline float softsign(float x, const Block&) {
  return x / (1 + std::fabs(x));
}
[[gnu::always_inline]] inline float square_root(float x, const Block&) { return std::sqrt(x); }
[[gnu::always_inline]] inline float swish(float x, const Block& b) {
  return x / logistic_divisor(b.alpha * x);
}
[[gnu::always_inline]] inline float tanh_step(float x, const Block&) {
  return hyperbolic_tangent(x);
}
[[gnu::always_inline]] inline float thresholded_relu(float x, const Block& b) {
  return x > b.alpha ? x : 0;
}

/// The steps of two operands.
[[gnu::always_inline]] inline float add(float x, float y) { return x + y; }
[[gnu::always_inline]] inline float divide(float x, float y) { return x / y; }
[[gnu::always_inline]] inline float larger(float x, float y) { return x < y || y != y ? y : x; }
[[gnu::always_inline]] inline float smaller(float x, float y) { return y < x || y != y ? y : x; }
[[gnu::always_inline]] inline float multiply(float x, float y) { return x * y; }
/// The remainder with the sign of the dividend.
[[gnu::always_inline]] inline float remainder(float x, float y) { return std::fmod(x, y); }
/// PRelu: y is the slope.
[[gnu::always_inline]] inline float sloped_relu(float x, float y) { return x < 0 ? y * x : x; }
[[gnu::always_inline]] inline float power(float x, float y) {
  return y == 2 ? x * x : std::pow(x, y);
}
[[gnu::always_inline]] inline float subtract(float x, float y) { return x - y; }

template <auto F>
void unary(const Block& block) {
  on_best_isa([&]() __attribute__((always_inline)) {
    const Block own = block;
    float* __restrict to = own.to;
    const float* a = own.a;
    const std::int64_t to_row = own.to_row != 0 ? own.to_row : own.count;
    for (std::int64_t r = 0; r < own.rows; ++r, a += own.a_row, to += to_row) {
      if (own.a_step == 1)
        for (std::int64_t i = 0; i < own.count; ++i) to[i] = F(a[i], own);
      else
        std::fill_n(to, own.count, F(*a, own));
    }
  });
}

/// A function of angles, and the library's for those that it does not do.
template <auto F, float (*Library)(float)>
void trigonometric(const Block& block) {
  unary<F>(block);
  const auto is_far = [](float x) { return std::fabs(x) > kLargestAngle; };
  const std::int64_t to_row = block.to_row != 0 ? block.to_row : block.count;
  const std::int64_t length = block.a_step == 1 ? block.count : 1;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    const float* a = block.a + r * block.a_row;
    float* to = block.to + r * to_row;
    bool any = false;
    for (std::int64_t i = 0; i < length; ++i) any |= is_far(a[i]);
    if (!any) continue;
    for (std::int64_t i = 0; i < block.count; ++i)
      if (const float x = a[i * block.a_step]; is_far(x)) to[i] = Library(x);
  }
}

template <auto F>
void binary(const Block& block) {
  on_best_isa([&]() __attribute__((always_inline)) {
    float* __restrict to = block.to;
    const float* a = block.a;
    const float* b = block.b;
    const std::int64_t count = block.count;
    const std::int64_t to_row = block.to_row != 0 ? block.to_row : count;
    for (std::int64_t r = 0; r < block.rows; ++r, to += to_row) {
      if (block.a_step == 1 && block.b_step == 1) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = F(a[i], b[i]);
      } else if (block.a_step == 1) {
        const float y = *b;
        for (std::int64_t i = 0; i < count; ++i) to[i] = F(a[i], y);
      } else if (block.b_step == 1) {
        const float x = *a;
        for (std::int64_t i = 0; i < count; ++i) to[i] = F(x, b[i]);
      } else {
        std::fill_n(to, count, F(*a, *b));
      }
      a += block.a_row;
      b += block.b_row;
    }
  });
}

struct Row {
  std::string_view step;
  BlockFunction function;
  dnnl::algorithm algorithm = dnnl::algorithm::undef;  ///< oneDNN's, of an activation
  /// What oneDNN wants as its alpha and beta where ONNX has constants.
  std::optional<std::array<float, 2>> constants = {};
};
constexpr auto kRows = std::to_array<Row>({
    {"Abs", unary<absolute>},
    {"Add", binary<add>},
    {"Ceil", unary<ceiling>},
    {"Celu", unary<celu>},
    {"Clip", unary<clip>, dnnl::algorithm::eltwise_clip},
    {"Cos", trigonometric<cosine_step, std::cos>},
    {"Div", binary<divide>},
    {"Elu", unary<elu>, dnnl::algorithm::eltwise_elu},
    {"Erf", unary<erf_step>},
    {"Exp", unary<exp_step>},
    {"Floor", unary<floor_step>},
    {"Gelu", unary<gelu>, dnnl::algorithm::eltwise_gelu_erf},
    {"GeluTanh", unary<gelu_tanh>, dnnl::algorithm::eltwise_gelu_tanh},
    {"HardSigmoid", unary<hard_sigmoid>, dnnl::algorithm::eltwise_hardsigmoid},
    {"HardSwish", unary<hard_swish>, dnnl::algorithm::eltwise_hardswish, {{1.0F / 6, 0.5F}}},
    {"LeakyRelu", unary<leaky_relu>, dnnl::algorithm::eltwise_relu},
    {"Log", unary<log_step>},
    {"Max", binary<larger>},
    {"Min", binary<smaller>},
    {"Mish", unary<mish>, dnnl::algorithm::eltwise_mish},
    {"Mod", binary<remainder>},
    {"Mul", binary<multiply>},
    {"Neg", unary<negative>},
    {"PRelu", binary<sloped_relu>},
    {"Pow", binary<power>},
    {"Reciprocal", unary<reciprocal>},
    {"Relu", unary<relu>, dnnl::algorithm::eltwise_relu},
    {"Round", unary<round_step>},
    {"Selu", unary<selu>},
    {"Shrink", unary<shrink>},
    {"Sigmoid", unary<sigmoid>, dnnl::algorithm::eltwise_logistic},
    {"Sign", unary<sign>},
    {"Sin", trigonometric<sine_step, std::sin>},
    {"Softplus", unary<softplus>},
    {"Softsign", unary<softsign>},
    {"Sqrt", unary<square_root>},
    {"Sub", binary<subtract>},
    {"Swish", unary<swish>, dnnl::algorithm::eltwise_swish},
    {"Tanh", unary<tanh_step>, dnnl::algorithm::eltwise_tanh},
    {"ThresholdedRelu", unary<thresholded_relu>},
});

const Row& row_of(std::string_view step) {
  for (const Row& row : kRows)
    if (row.step == step) return row;
  raise(ErrorKind::Internal, "a step of a Chain without a function");
}

}  // namespace

BlockFunction block_function(std::string_view step) { return row_of(step).function; }

Eltwise eltwise_of(std::string_view step, float alpha, float beta) {
  const Row& row = row_of(step);
  require(row.algorithm != dnnl::algorithm::undef, "an activation that oneDNN does not know");
  if (row.constants) return {row.algorithm, (*row.constants)[0], (*row.constants)[1]};
  return {row.algorithm, alpha, beta};
}

}  // namespace braid::cpu
