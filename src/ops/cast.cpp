#include "ops/cast.h"

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/onnx_type.h"

namespace braid {
namespace {

ElementType target(const OpCall& call) {
  return element_of_onnx(call.op, call.attributes->integer("to", 0));
}

std::vector<Tensor> evaluate_cast(const OpCall& call, std::span<const Tensor> inputs) {
  return {cast(inputs[0], call.outputs[0].element)};
}

/// The two attributes that are about 8-bit floats only; they change nothing here.
std::vector<AttributeDef> small_float_attributes() {
  return {{"saturate", AttributeKind::Integer}, {"round_mode", AttributeKind::Text}};
}

std::vector<TensorType> infer_bit_cast(const OpCall& call) {
  const ElementType to = target(call);
  if (byte_size(to) != byte_size(call.input(0).element))
    raise(ErrorKind::Model, fmt::format("BitCast from {} to {}: the sizes differ",
                                        name(call.input(0).element), name(to)));
  return {{to, call.dims(0)}};
}

std::vector<Tensor> evaluate_bit_cast(const OpCall& call, std::span<const Tensor> inputs) {
  return {Tensor::copy_of(call.outputs[0], inputs[0].bytes())};
}

}  // namespace

Tensor cast(const Tensor& in, ElementType type) {
  if (in.element() == type) return in;
  Tensor out = Tensor::uninitialised({type, in.dims()});
  dispatch(in.element(), [&](auto from_tag) {
    dispatch(out.element(), [&](auto to_tag) {
      using From = typename decltype(from_tag)::type;
      using To = typename decltype(to_tag)::type;
      const auto from = in.data<From>();
      const auto to = out.mutable_data<To>();
      for (std::size_t i = 0; i < from.size(); ++i) to[i] = element_from<To>(load(from[i]));
    });
  });
  return out;
}

std::vector<OpDef> cast_ops() {
  OpDef cast_to;
  cast_to.name = "Cast";
  cast_to.versions = {1, 6, 9, 13, 19, 21, 23, 24, 25, 28};
  cast_to.special_numbers =
      "NaN becomes the integer 0, and what does not fit the nearest end; ONNX Runtime "
      "does as the processor does";
  cast_to.attributes = small_float_attributes();
  cast_to.attributes.push_back({"to", AttributeKind::Integer, true});
  cast_to.infer = [](const OpCall& call) {
    return std::vector<TensorType>{{target(call), call.dims(0)}};
  };
  cast_to.evaluate = evaluate_cast;

  OpDef cast_like;
  cast_like.name = "CastLike";
  cast_like.versions = {15, 19, 21, 23, 24, 25};
  cast_like.min_inputs = cast_like.max_inputs = 2;
  cast_like.special_numbers = cast_to.special_numbers;
  cast_like.attributes = small_float_attributes();
  cast_like.infer = [](const OpCall& call) {
    return std::vector<TensorType>{{call.input(1).element, call.dims(0)}};
  };
  cast_like.evaluate = evaluate_cast;

  OpDef bit_cast;
  bit_cast.name = "BitCast";
  bit_cast.versions = {26};
  bit_cast.attributes = {{"to", AttributeKind::Integer, true}};
  bit_cast.infer = infer_bit_cast;
  bit_cast.evaluate = evaluate_bit_cast;
  return {cast_to, cast_like, bit_cast};
}

}  // namespace braid
