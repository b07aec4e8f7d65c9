#include "device/cpu/kernels/copies.h"
#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {

std::optional<Way> prepare_identity(const KernelCall& call) {
  const Dims& dims = call.op.dims(0);
  if (same_places(dims, call.inputs[0], call.output)) {
    Way way = prepare_copy_in(call.op, call.output);
    way.input_orders = {call.inputs[0]};
    way.output_orders = {call.output};
    return way;
  }
  std::optional<Way> way = prepare_reorder(call);
  if (!way) {
    const View view{dims, {strides_in(dims, call.inputs[0]), strides_in(dims, call.output)}};
    way = prepare_view(call.op, view, call.output, kReorder);
  }
  way->input_orders = {call.inputs[0]};
  way->output_orders = {call.output};
  return way;
}

std::optional<Way> prepare_is_nan(const OpCall& call) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  Way way;
  way.implementation = "is_nan";
  way.cuts = cuts_in(call.outputs[0], {});
  way.make = [type = call.outputs[0]](const Part& part) -> Kernel {
    return [range = outermost_range(type, part)](const KernelArgs& args) {
      const float* __restrict from = args.in<float>(0);
      bool* __restrict to = args.out<bool>(0);
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t i = range.begin; i < range.end; ++i) to[i] = from[i] != from[i];
      });
    };
  };
  return way;
}

}  // namespace braid::cpu
