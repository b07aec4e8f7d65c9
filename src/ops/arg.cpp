#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/axes.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

std::int64_t arg_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
}

std::vector<TensorType> infer_arg(const OpCall& call) {
  Dims dims = call.dims(0);
  const std::int64_t axis = arg_axis(call);
  const auto at = static_cast<std::size_t>(axis);
  const bool nothing = dims[at] == 0;
  if (call.attributes->integer("keepdims", 1) != 0)
    dims[at] = 1;
  else
    dims.erase(dims.begin() + axis);
  if (nothing && element_count(dims) > 0)
    raise(ErrorKind::Model, fmt::format("{} looks along axis {} of shape {}, which is empty",
                                        call.op, axis, to_string(call.dims(0))));
  return {{ElementType::I64, dims}};
}

/// The index of the extreme element; NaN is taken as the extreme, as in NumPy.
template <class T, class Beats>
std::int64_t best_index(const T* row, std::int64_t length, std::int64_t step, bool last) {
  std::int64_t best = 0;
  auto champion = load(row[0]);
  for (std::int64_t i = 1; i < length; ++i) {
    const auto x = load(row[i * step]);
    const bool better = is_nan(champion) ? false : is_nan(x) || Beats{}(x, champion);
    const bool equal = x == champion || (is_nan(x) && is_nan(champion));
    if (!better && !(last && equal)) continue;
    best = i;
    champion = x;
  }
  return best;
}

template <class Beats>
OpDef arg_row(std::string_view name, Beats) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Reduction;
  def.versions = {1, 11, 12, 13};
  def.attributes = {{"axis", AttributeKind::Integer},
                    {"keepdims", AttributeKind::Integer},
                    {"select_last_index", AttributeKind::Integer}};
  def.special_numbers =
      "NaN is the extreme element, as in NumPy; ONNX Runtime compares with it, which "
      "is never true";
  def.types = kNumbers;
  def.infer = infer_arg;
  def.work = [](const OpCall& call) {
    return Work{.flops = static_cast<double>(element_count(call.input(0)))};
  };
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    Tensor out = Tensor::uninitialised(call.outputs[0]);
    const AxisView view = view_along(inputs[0].dims(), arg_axis(call));
    const bool last = call.attributes->integer("select_last_index", 0) != 0;
    std::int64_t* to = out.mutable_data<std::int64_t>().data();
    dispatch_in<kNumbers>(inputs[0].element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = inputs[0].data<T>().data();
      for (std::int64_t block = 0; block < view.outer; ++block)
        for (std::int64_t i = 0; i < view.inner; ++i)
          *to++ = best_index<T, Beats>(from + block * view.length * view.inner + i, view.length,
                                       view.inner, last);
    });
    return std::vector{out};
  };
  return def;
}

}  // namespace

std::vector<OpDef> arg_ops() {
  return {
      arg_row("ArgMax", [](auto a, auto b) { return a > b; }),
      arg_row("ArgMin", [](auto a, auto b) { return a < b; }),
  };
}

}  // namespace braid
