#include "device/cpu/kernels/copies.h"
#include "device/cpu/kernels/each_element.h"
#include "device/cpu/kernels/ways.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

struct NotANumber {
  [[gnu::always_inline]] static bool of(float x) { return x != x; }
};

struct Opposite {
  [[gnu::always_inline]] static bool of(bool x) { return !x; }
};

}  // namespace

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
  return prepare_each<NotANumber, float, bool>(call, "is_nan");
}

std::optional<Way> prepare_not(const OpCall& call) {
  return prepare_each<Opposite, bool, bool>(call, "not");
}

}  // namespace braid::cpu
