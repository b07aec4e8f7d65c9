#include "ops/shared/onnx_type.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

Case constant(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  switch (draw.integer(0, 4)) {
    case 0:
      c.attributes.set("value_int", draw.integer(-9, 9));
      break;
    case 1:
      c.attributes.set("value_float", draw.real(-9, 9));
      break;
    case 2:
      c.attributes.set("value_ints", draw.integers(draw.extent(), -9, 9));
      break;
    case 3:
      c.attributes.set("value_floats",
                       std::vector<float>(static_cast<std::size_t>(draw.extent()), 1.5F));
      break;
    default:
      c.attributes.set("value", draw.tensor(draw.element(kAnyElement), draw.dims(0, 4)));
  }
  return c;
}

Case constant_of_shape(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  c.inputs = {list(draw.dims(0, 4))};
  if (draw.chance())
    c.attributes.set("value",
                     draw.tensor(draw.element(kAnyElement), draw.chance() ? Dims{1} : Dims{}));
  return c;
}

Case range(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const ElementType element = draw.element(def.types);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return draw.tensor_between(element, draw.chance(0.8) ? Dims{} : Dims{1}, low, high);
  };
  if (draw.chance())
    c.inputs = {number(-5, 2), number(0, 5), number(1, 3)};
  else
    c.inputs = {number(-2, 5), number(-5, 0), number(-3, -1)};
  return c;
}

Case eye_like(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  c.inputs = {draw.tensor(draw.element(def.types), draw.dims(2, 2))};
  if (c.attributes.has("dtype")) c.attributes.set("dtype", onnx_type(draw.element(kAnyElement)));
  if (draw.chance()) c.attributes.set("k", draw.integer(-5, 5));
  return c;
}

}  // namespace

std::vector<Generator> constant_generators() {
  using enum Exactness;
  return {
      {"Constant", constant, Always},
      {"ConstantOfShape", constant_of_shape, Always},
      {"EyeLike", eye_like, Always},
      {"Range", range, Always, true},
  };
}

}  // namespace braid
