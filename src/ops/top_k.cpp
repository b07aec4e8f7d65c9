#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/axes.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

std::int64_t top_k_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
}

std::vector<TensorType> infer_top_k(const OpCall& call) {
  const auto wanted = call.known_integers(1, "the number of elements");
  const std::int64_t axis = top_k_axis(call);
  Dims dims = call.dims(0);
  std::int64_t& length = dims[static_cast<std::size_t>(axis)];
  if (wanted.size() != 1 || wanted[0] < 0 || wanted[0] > length)
    raise(ErrorKind::Model, fmt::format("TopK takes {} of the {} elements along axis {}",
                                        to_string(wanted), length, axis));
  length = wanted[0];
  return {{call.input(0).element, dims}, {ElementType::I64, dims}};
}

Work sort_work(const OpCall& call) {
  const auto length = static_cast<double>(call.dims(0)[static_cast<std::size_t>(top_k_axis(call))]);
  return {.flops = static_cast<double>(element_count(call.input(0))) * std::log2(length + 1)};
}

/// Whether `a` comes before `b`; NaN counts as the largest number.
template <class C>
bool less(C a, C b) {
  return is_nan(b) ? !is_nan(a) : a < b;
}

template <class T>
void take_top(const Tensor& in, const AxisView& view, bool largest, Tensor& values,
              Tensor& indices) {
  const T* from = in.data<T>().data();
  T* value = values.mutable_data<T>().data();
  std::int64_t* index = indices.mutable_data<std::int64_t>().data();
  const std::int64_t wanted = values.elements() / (view.outer * view.inner);
  std::vector<std::int64_t> order(static_cast<std::size_t>(view.length));
  for (std::int64_t block = 0; block < view.outer; ++block)
    for (std::int64_t column = 0; column < view.inner; ++column) {
      const T* row = from + block * view.length * view.inner + column;
      const auto before = [&](std::int64_t a, std::int64_t b) {
        const auto x = load(row[a * view.inner]);
        const auto y = load(row[b * view.inner]);
        if (largest ? less(y, x) : less(x, y)) return true;
        if (largest ? less(x, y) : less(y, x)) return false;
        return a < b;
      };
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + wanted, order.end(), before);
      for (std::int64_t i = 0; i < wanted; ++i) {
        const std::int64_t to = (block * wanted + i) * view.inner + column;
        index[to] = order[static_cast<std::size_t>(i)];
        value[to] = row[index[to] * view.inner];
      }
    }
}

std::vector<Tensor> evaluate_top_k(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor values = Tensor::uninitialised(call.outputs[0]);
  Tensor indices = Tensor::uninitialised(call.outputs[1]);
  const AxisView view = view_along(inputs[0].dims(), top_k_axis(call));
  const bool largest = call.attributes->integer("largest", 1) != 0;
  if (values.elements() > 0)
    dispatch_in<kNumbers>(values.element(), [&](auto tag) {
      take_top<typename decltype(tag)::type>(inputs[0], view, largest, values, indices);
    });
  return {values, indices};
}

}  // namespace

/// The result is in order whether or not `sorted` asks for it.
std::vector<OpDef> top_k_ops() {
  OpDef def;
  def.name = "TopK";
  def.versions = {1, 10, 11, 24};
  def.min_inputs = def.max_inputs = 2;
  def.max_outputs = 2;
  def.attributes = {{"axis", AttributeKind::Integer},
                    {"largest", AttributeKind::Integer},
                    {"sorted", AttributeKind::Integer}};
  def.special_numbers =
      "NaN is the largest element, as in NumPy; ONNX Runtime compares with it, which "
      "is never true";
  def.types = kNumbers;
  def.infer = infer_top_k;
  def.work = sort_work;
  def.evaluate = evaluate_top_k;
  return {def};
}

}  // namespace braid
