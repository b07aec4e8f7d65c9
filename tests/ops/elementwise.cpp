#include "ops/shared/onnx_type.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

Case unary(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  c.inputs = {draw.tensor(draw.element(def.types), draw.dims(0, 4))};
  return c;
}

Case gelu(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  if (draw.chance()) c.attributes.set("approximate", draw.text_of({"none", "tanh"}));
  return c;
}

/// A call with inputs of one element type, whose shapes meet by broadcasting.
Case meeting(Draw& draw, const OpDef& def, std::int64_t inputs) {
  Case c = plain_case(draw, def);
  const ElementType element = draw.element(def.types);
  const Dims dims = draw.dims(0, 4);
  for (std::int64_t i = 0; i < inputs; ++i)
    c.inputs.push_back(draw.tensor(element, draw.broadcasting_to(dims)));
  return c;
}

Case binary(Draw& draw, const OpDef& def) { return meeting(draw, def, 2); }
Case variadic(Draw& draw, const OpDef& def) { return meeting(draw, def, draw.integer(1, 4)); }

Case shift(Draw& draw, const OpDef& def) {
  Case c = binary(draw, def);
  c.attributes.set("direction", draw.text_of({"LEFT", "RIGHT"}));
  return c;
}

Case power(Draw& draw, const OpDef& def) {
  Case c = binary(draw, def);
  if (draw.chance())
    c.inputs[1] = draw.tensor_between(draw.element(kNumbers), c.inputs[1].dims(), -2, 3);
  return c;
}

Case prelu(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  const TensorType& type = c.inputs[0].type();
  c.inputs.push_back(draw.tensor(type.element, draw.broadcasting_to(type.dims)));
  return c;
}

Case same_shapes(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  c.inputs.push_back(draw.tensor(c.inputs[0].type()));
  return c;
}

Case where(Draw& draw, const OpDef& def) {
  Case c = meeting(draw, def, 3);
  c.inputs[0] = draw.tensor(ElementType::Bool, c.inputs[0].dims());
  return c;
}

Case clip(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  const auto bound = [&] {
    return draw.tensor(c.inputs[0].element(), draw.chance() ? Dims{} : Dims{1});
  };
  const std::int64_t bounds = draw.integer(0, 2);
  if (bounds > 0) c.inputs.push_back(draw.chance() ? bound() : Tensor{});
  if (bounds > 1) c.inputs.push_back(bound());
  return c;
}

/// A few steps, each on any of the values that there are.
Case chain(Draw& draw, const OpDef& def) {
  Case c = meeting(draw, def, draw.integer(1, 4));
  std::vector<std::string> ops;
  std::vector<std::int64_t> operands;
  std::vector<float> alphas;
  const std::int64_t inputs = std::ssize(c.inputs);
  const std::int64_t steps = draw.integer(1, 5);
  for (std::int64_t i = 0; i < steps; ++i) {
    const bool two = draw.chance();
    ops.push_back(two ? draw.text_of({"Add", "Sub", "Mul", "Min", "Max"})
                      : draw.text_of({"Abs", "Elu", "LeakyRelu", "Neg", "Relu", "Selu", "Shrink",
                                      "Softplus", "Tanh"}));
    for (int k = two ? 2 : 1; k > 0; --k) operands.push_back(draw.integer(0, inputs + i - 1));
    alphas.push_back(0.5F);
  }
  c.attributes.set("ops", ops);
  c.attributes.set("operands", operands);
  if (draw.chance()) c.attributes.set("alphas", alphas);
  return c;
}

Case cast(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  c.attributes.set("to", onnx_type(draw.element(kAnyElement)));
  return c;
}

Case cast_like(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  c.inputs.push_back(draw.tensor(draw.element(kAnyElement), draw.dims(0, 2)));
  return c;
}

Case bit_cast(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  ElementType to = draw.element(kAnyElement);
  while (byte_size(to) != byte_size(c.inputs[0].element())) to = draw.element(kAnyElement);
  c.attributes.set("to", onnx_type(to));
  return c;
}

Case dropout(Draw& draw, const OpDef& def) {
  Case c = unary(draw, def);
  const std::int64_t more = draw.integer(0, 2);
  if (more > 0) c.inputs.push_back(draw.chance() ? Tensor::scalar(0.5F) : Tensor{});
  if (more > 1) c.inputs.push_back(Tensor::scalar(false));
  c.outputs = static_cast<std::size_t>(draw.integer(1, 2));
  return c;
}

}  // namespace

std::vector<Generator> elementwise_generators() {
  using enum Exactness;
  return {
      {"Abs", unary, Always, true},
      {"Acos", unary, Never, true},
      {"Acosh", unary, Never, true},
      {"Add", binary, OnWhole, true},
      {"And", binary, Always, true},
      {"Asin", unary, Never, true},
      {"Asinh", unary, Never, true},
      {"Atan", unary, Never, true},
      {"Atanh", unary, Never, true},
      {"BitCast", bit_cast, Always, true},
      {"BitShift", shift, Always, true},
      {"BitwiseAnd", binary, Always, true},
      {"BitwiseNot", unary, Always, true},
      {"BitwiseOr", binary, Always, true},
      {"BitwiseXor", binary, Always, true},
      {"Cast", cast, Always, true},
      {"CastLike", cast_like, Always, true},
      {"Ceil", unary, Always, true},
      {"Celu", unary, Never, true},
      {"Chain", chain, Never, true},
      {"Clip", clip, Always, true},
      {"Cos", unary, Never, true},
      {"Cosh", unary, Never, true},
      {"Div", binary, Never, true},
      {"Dropout", dropout, Always, true},
      {"Elu", unary, Never, true},
      {"Equal", binary, Always, true},
      {"Erf", unary, Never, true},
      {"Exp", unary, Never, true},
      {"Floor", unary, Always, true},
      {"Gelu", gelu, Never, true},
      {"Greater", binary, Always, true},
      {"GreaterOrEqual", binary, Always, true},
      {"HardSigmoid", unary, Never, true},
      {"HardSwish", unary, Never, true},
      {"Identity", unary, Always, true},
      {"IsInf", unary, Always, true},
      {"IsNaN", unary, Always, true},
      {"LeakyRelu", unary, Never, true},
      {"Less", binary, Always, true},
      {"LessOrEqual", binary, Always, true},
      {"Log", unary, Never, true},
      {"Max", variadic, Always, true},
      {"Mean", variadic, Never, true},
      {"Min", variadic, Always, true},
      {"Mish", unary, Never, true},
      {"Mod", binary, Always, true},
      {"Mul", binary, OnWhole, true},
      {"Neg", unary, Always, true},
      {"Not", unary, Always, true},
      {"Or", binary, Always, true},
      {"PRelu", prelu, OnWhole, true},
      {"Pow", power, Never, true},
      {"Reciprocal", unary, Never, true},
      {"Relu", unary, Always, true},
      {"Round", unary, Always, true},
      {"Selu", unary, Never, true},
      {"Shrink", unary, Never, true},
      {"Sigmoid", unary, Never, true},
      {"Sign", unary, Always, true},
      {"Sin", unary, Never, true},
      {"Sinh", unary, Never, true},
      {"Softplus", unary, Never, true},
      {"Softsign", unary, Never, true},
      {"Sqrt", unary, Never, true},
      {"Sub", binary, OnWhole, true},
      {"Sum", variadic, OnWhole, true},
      {"SwiGLU", same_shapes, Never, true},
      {"Swish", unary, Never, true},
      {"Tan", unary, Never, true},
      {"Tanh", unary, Never, true},
      {"ThresholdedRelu", unary, Always, true},
      {"Where", where, Always, true},
      {"Xor", binary, Always, true},
  };
}

}  // namespace braid
