#include <cmath>

#include "ops/definitions.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::vector<TensorType> same_type(const OpCall& call) { return {call.input(0)}; }

Work one_flop_each(const OpCall& call) {
  return {.flops = static_cast<double>(element_count(call.input(0)))};
}

/// Evaluates `F<compute type>` on every element.
template <class F>
std::vector<Tensor> each(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const F f(*call.attributes);
    const auto in = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < in.size(); ++i) to[i] = store<T>(f(load(in[i])));
  });
  return {out};
}

struct Relu {
  explicit Relu(const Attributes&) {}
  template <class T>
  T operator()(T x) const {
    // NaN stays NaN.
    return x < T(0) ? T(0) : x;
  }
};

template <class F>
OpDef row(std::string_view name, std::vector<int> versions, ElementSet types,
          std::vector<AttributeDef> attributes = {}) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.types = types;
  def.attributes = std::move(attributes);
  def.infer = same_type;
  def.work = one_flop_each;
  def.evaluate = each<F>;
  return def;
}

}  // namespace

std::vector<OpDef> unary_ops() {
  return {
      row<Relu>("Relu", {1, 6, 13, 14}, kSigned),
  };
}

}  // namespace braid
