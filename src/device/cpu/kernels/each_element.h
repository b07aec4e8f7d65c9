#pragma once

#include "device/cpu/kernels/kernel.h"
#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// A way to run an operator of one input, whole or in parts: to[i] = F::of(from[i]), from elements
/// of type In to such of type Out.
template <class F, class In, class Out>
Way prepare_each(const OpCall& call, std::string_view implementation) {
  Way way;
  way.implementation = implementation;
  way.cuts = cuts_in(call.outputs[0], {});
  way.make = [type = call.outputs[0]](const Part& part) -> Kernel {
    return [range = outermost_range(type, part)](const KernelArgs& args) {
      on_best_isa([&]() __attribute__((always_inline)) {
        const In* __restrict from = args.in<In>(0);
        Out* __restrict to = args.out<Out>(0);
        const std::int64_t end = range.end;  // which bytes that are written cannot change
        for (std::int64_t i = range.begin; i < end; ++i) to[i] = F::of(from[i]);
      });
    };
  };
  return way;
}

}  // namespace braid::cpu
