#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/axes.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/indices.h"

namespace braid {
namespace {

constexpr ElementSet kTypes =
    kFloats | ElementType::I32 | ElementType::I64 | ElementType::U32 | ElementType::U64;

std::vector<TensorType> infer_cumulative(const OpCall& call) {
  require_indices(call, 1);
  if (element_count(call.input(1)) != 1)
    raise(ErrorKind::Model, fmt::format("the axis of {} has shape {}, expected one number", call.op,
                                        to_string(call.dims(1))));
  return {call.input(0)};
}

template <class T, class F>
void accumulate(const T* from, T* to, const AxisView& view, const Attributes& attributes,
                Accumulate<T> start) {
  const bool exclusive = attributes.integer("exclusive", 0) != 0;
  const bool reverse = attributes.integer("reverse", 0) != 0;
  for (std::int64_t block = 0; block < view.outer; ++block)
    for (std::int64_t column = 0; column < view.inner; ++column) {
      Accumulate<T> sum = start;
      for (std::int64_t i = 0; i < view.length; ++i) {
        const std::int64_t along = reverse ? view.length - 1 - i : i;
        const std::int64_t at = (block * view.length + along) * view.inner + column;
        const Accumulate<T> next = F{}(sum, static_cast<Accumulate<T>>(load(from[at])));
        to[at] = element_from<T>(exclusive ? sum : next);
        sum = next;
      }
    }
}

/// `Start` is the neutral element of F.
template <int Start, class F>
OpDef cumulative_row(std::string_view name, std::vector<int> versions, F) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.min_inputs = def.max_inputs = 2;
  def.attributes = {{"exclusive", AttributeKind::Integer}, {"reverse", AttributeKind::Integer}};
  def.types = kTypes;
  def.infer = infer_cumulative;
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    Tensor out = Tensor::uninitialised(call.outputs[0]);
    const std::int64_t axis = normal_axis(call.op, read_indices(inputs[1])[0], call.rank(0));
    const AxisView view = view_along(out.dims(), axis);
    dispatch_in<kTypes>(out.element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      accumulate<T, F>(inputs[0].data<T>().data(), out.mutable_data<T>().data(), view,
                       *call.attributes, Start);
    });
    return std::vector{out};
  };
  return def;
}

}  // namespace

std::vector<OpDef> cumulative_ops() {
  return {
      cumulative_row<0>("CumSum", {11, 14}, [](auto a, auto b) { return add(a, b); }),
      cumulative_row<1>("CumProd", {26}, [](auto a, auto b) { return multiply(a, b); }),
  };
}

}  // namespace braid
