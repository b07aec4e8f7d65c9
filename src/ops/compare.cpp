#include "ops/definitions.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

/// A row whose function takes two elements and gives a truth value.
template <ElementSet Types, class F>
OpDef compare_row(std::string_view name, std::vector<int> versions, F) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.types = Types;
  def.min_inputs = def.max_inputs = 2;
  def.infer = [](const OpCall& call) {
    common_element(call);
    return std::vector<TensorType>{{ElementType::Bool, broadcast(call)}};
  };
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    Tensor out = Tensor::uninitialised(call.outputs[0]);
    dispatch_in<Types>(inputs[0].element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      map_pairs<T, T, bool>(inputs[0], inputs[1], out, F{});
    });
    return std::vector{out};
  };
  return def;
}

}  // namespace

std::vector<OpDef> compare_ops() {
  return {
      compare_row<kAnyElement>("Equal", {1, 7, 11, 13, 19}, [](auto a, auto b) { return a == b; }),
      compare_row<kNumbers>("Less", {1, 7, 9, 13}, [](auto a, auto b) { return a < b; }),
      compare_row<kNumbers>("LessOrEqual", {12, 16}, [](auto a, auto b) { return a <= b; }),
      compare_row<kNumbers>("Greater", {1, 7, 9, 13}, [](auto a, auto b) { return a > b; }),
      compare_row<kNumbers>("GreaterOrEqual", {12, 16}, [](auto a, auto b) { return a >= b; }),
  };
}

}  // namespace braid
