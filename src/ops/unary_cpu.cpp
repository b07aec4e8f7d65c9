#include "device/cpu/isa.h"
#include "device/cpu/onednn.h"
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
  if (call.op == "HardSigmoid")
    return Eltwise{algorithm::eltwise_hardsigmoid, a.real("alpha", 0.2F), a.real("beta", 0.5F)};
  if (call.op == "Gelu")
    return Eltwise{a.text("approximate", "none") == "tanh" ? algorithm::eltwise_gelu_tanh
                                                           : algorithm::eltwise_gelu_erf};
  return std::nullopt;
}

}  // namespace

std::optional<Prepared> prepare_eltwise(const OpCall& call) {
  const auto eltwise = eltwise_of(call);
  if (!eltwise || call.input(0).element != ElementType::F32) return std::nullopt;
  const dnnl::memory::desc flat = row_major({element_count(call.input(0))});
  const auto desc = usable([&] {
    return dnnl::eltwise_forward::primitive_desc(engine(), dnnl::prop_kind::forward_inference,
                                                 eltwise->algorithm, flat, flat, eltwise->alpha,
                                                 eltwise->beta, attributes_with({}), true);
  });
  if (!desc) return std::nullopt;
  PrimitiveUse use;
  use.desc = *desc;
  use.inputs.push_back({DNNL_ARG_SRC, 0, flat, flat});
  use.output = {DNNL_ARG_DST, 0, flat, flat};
  return prepare_primitive(call, std::move(use));
}

std::optional<Prepared> prepare_relu(const OpCall& call) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  Prepared prepared;
  prepared.implementation = "relu";
  prepared.make = [count = element_count(call.input(0))]() -> Kernel {
    return [count](const KernelArgs& args) {
      const float* from = args.in<float>(0);
      float* to = args.out<float>(0);
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] < 0 ? 0 : from[i];
      });
    };
  };
  return prepared;
}

}  // namespace braid::cpu
