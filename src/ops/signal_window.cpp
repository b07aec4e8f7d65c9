#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/indices.h"
#include "ops/shared/onnx_type.h"

namespace braid {
namespace {

std::vector<TensorType> infer_signal_window(const OpCall& call) {
  const auto size = call.known_integers(0, "the size");
  if (size.size() != 1 || size[0] < 0)
    raise(ErrorKind::Model,
          fmt::format("the size of {} is {}, expected one number", call.op, to_string(size)));
  const ElementType element =
      element_of_onnx(call.op, call.attributes->integer("output_datatype", 1));
  if (element == ElementType::Bool)
    raise(ErrorKind::Model, fmt::format("{} has no truth values", call.op));
  return {{element, size}};
}

/// F gives the weight at an angle between 0 and 2π.
template <class F>
OpDef window_row(std::string_view name, F) {
  OpDef def;
  def.name = name;
  def.versions = {17};
  def.attributes = {{"output_datatype", AttributeKind::Integer},
                    {"periodic", AttributeKind::Integer}};
  def.types = ElementType::I32 | ElementType::I64;
  def.infer = infer_signal_window;
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor>) {
    Tensor out = Tensor::uninitialised(call.outputs[0]);
    const bool periodic = call.attributes->integer("periodic", 1) != 0;
    const auto period = static_cast<double>(out.elements() - (periodic ? 0 : 1));
    dispatch(out.element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto to = out.mutable_data<T>();
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = element_from<T>(F{}(2 * std::numbers::pi * static_cast<double>(i) / period));
    });
    return std::vector{out};
  };
  return def;
}

}  // namespace

std::vector<OpDef> signal_window_ops() {
  return {
      window_row("HannWindow", [](double a) { return 0.5 - 0.5 * std::cos(a); }),
      window_row("HammingWindow", [](double a) { return 25.0 / 46 - 21.0 / 46 * std::cos(a); }),
      window_row("BlackmanWindow",
                 [](double a) { return 0.42 - 0.5 * std::cos(a) + 0.08 * std::cos(2 * a); }),
  };
}

}  // namespace braid
