#include "device/cpu/isa.h"
#include "device/cpu/onednn.h"
#include "device/cpu/part.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

std::optional<Eltwise> eltwise_of(const OpCall& call) {
  using dnnl::algorithm;
  const Attributes& a = *call.attributes;
  if (call.op == "LeakyRelu") return Eltwise{algorithm::eltwise_relu, a.real("alpha", 0.01F)};
  if (call.op == "Elu") return Eltwise{algorithm::eltwise_elu, a.real("alpha", 1)};
  if (call.op == "Sigmoid") return Eltwise{algorithm::eltwise_logistic};
  if (call.op == "Tanh") return Eltwise{algorithm::eltwise_tanh};
  if (call.op == "Exp") return Eltwise{algorithm::eltwise_exp};
  if (call.op == "Sqrt") return Eltwise{algorithm::eltwise_sqrt};
  if (call.op == "Swish") return Eltwise{algorithm::eltwise_swish, a.real("alpha", 1)};
  if (call.op == "HardSwish") return Eltwise{algorithm::eltwise_hardswish, 1.0F / 6, 0.5F};
  if (call.op == "Gelu")
    return Eltwise{a.text("approximate", "none") == "tanh" ? algorithm::eltwise_gelu_tanh
                                                           : algorithm::eltwise_gelu_erf};
  return std::nullopt;
}

/// The error function within 5e-7: an odd rational function, fitted where the result differs from
/// one.
[[gnu::always_inline]] inline float error_function(float x) {
  constexpr float end = 3.92F;
  const float low = x < -end ? -end : x;
  const float c = low > end ? end : low;
  const float t = c * c;
  float p = 2.06771581e-06F;
  p = p * t + 0.000283683349F;
  p = p * t + 0.00369528507F;
  p = p * t + 0.0525309673F;
  p = p * t + 0.188715587F;
  p = p * t + 1.12837916F;
  float q = 3.82124898e-05F;
  q = q * t + 0.00114623956F;
  q = q * t + 0.014827331F;
  q = q * t + 0.113415658F;
  q = q * t + 0.500577838F;
  q = q * t + 1;
  const float y = c * p / q;
  const float raised = y < -1 ? -1 : y;
  return raised > 1 ? 1 : raised;
}

/// to[i] = f(from[i])
template <class F>
std::optional<Prepared> prepare_map(const OpCall& call, std::string_view implementation, F f) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  Prepared prepared;
  prepared.implementation = implementation;
  prepared.cuts = cuts_in(call.outputs[0], {});
  prepared.make = [type = call.outputs[0], f](const Part& part) -> Kernel {
    const CutRange range = outermost_range(type, part);
    return [range, f](const KernelArgs& args) {
      const std::int64_t count = range.end - range.begin;
      const float* __restrict from = args.in<float>(0) + range.begin;
      float* __restrict to = args.out<float>(0) + range.begin;
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = f(from[i]);
      });
    };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_eltwise(const OpCall& call) {
  const auto eltwise = eltwise_of(call);
  if (!eltwise || call.input(0).element != ElementType::F32) return std::nullopt;
  const TensorType type = call.outputs[0];
  const auto use = [type, eltwise](const Part& part) -> std::optional<PrimitiveUse> {
    const CutRange range = outermost_range(type, part);
    const dnnl::memory::desc flat = row_major({range.end - range.begin});
    const auto desc = usable([&] {
      return dnnl::eltwise_forward::primitive_desc(engine(), dnnl::prop_kind::forward_inference,
                                                   eltwise->algorithm, flat, flat, eltwise->alpha,
                                                   eltwise->beta, attributes_with({}), true);
    });
    if (!desc) return std::nullopt;
    const std::int64_t offset = range.begin * std::int64_t{sizeof(float)};
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {{DNNL_ARG_SRC, 0, flat, flat, offset}};
    result.output = {DNNL_ARG_DST, 0, flat, flat, offset};
    return result;
  };
  return prepare_primitive(call, use, cuts_in(type, {}));
}

std::optional<Prepared> prepare_relu(const OpCall& call) {
  return prepare_map(call, "relu",
                     [](float x) __attribute__((always_inline)) { return x < 0 ? 0 : x; });
}

/// oneDNN's turns what is no number into 0 or 1.
std::optional<Prepared> prepare_hard_sigmoid(const OpCall& call) {
  const float alpha = call.attributes->real("alpha", 0.2F);
  const float beta = call.attributes->real("beta", 0.5F);
  return prepare_map(call, "hard_sigmoid", [alpha, beta](float x) __attribute__((always_inline)) {
    const float y = alpha * x + beta;
    const float raised = y < 0 ? 0 : y;
    return raised > 1 ? 1 : raised;
  });
}

std::optional<Prepared> prepare_erf(const OpCall& call) {
  return prepare_map(call, "erf",
                     [](float x) __attribute__((always_inline)) { return error_function(x); });
}

}  // namespace braid::cpu
