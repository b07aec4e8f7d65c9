#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/cast.h"
#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/step.h"

namespace braid {
namespace {

std::vector<TensorType> meet(const OpCall& call) {
  return {{common_element(call), broadcast(call)}};
}

template <ElementSet Types, class F>
std::vector<Tensor> evaluate_pairs(const OpCall& call, std::span<const Tensor> inputs, const F& f) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_in<Types>(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_pairs<T, T, T>(inputs[0], inputs[1], out, f);
  });
  return {out};
}

/// A row whose function takes two elements and gives one of the same type.
template <ElementSet Types, class F>
OpDef binary_row(std::string_view name, std::vector<int> versions, F) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.types = Types;
  def.min_inputs = def.max_inputs = 2;
  def.infer = meet;
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return evaluate_pairs<Types>(call, inputs, F{});
  };
  return def;
}

OpDef commuting_step(OpDef def) {
  def.commutes = true;
  return as_step(std::move(def));
}

constexpr ElementSet kSloped =
    kFloats | ElementType::I32 | ElementType::I64 | ElementType::U32 | ElementType::U64;
constexpr ElementSet kBases = kFloats | ElementType::I32 | ElementType::I64;

/// A power of integers. With a negative exponent it is the real result, truncated: 0 unless the
/// base is 1 or -1. 0 to a negative power, which is undefined, is 0.
template <std::integral T>
T integer_power(T base, std::uint64_t exponent, bool negative) {
  if (negative) {
    if (base == T{1}) return base;
    if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? T{1} : base;
    return 0;
  }
  T result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

template <class X, class Y>
X power(X x, Y y) {
  if constexpr (std::integral<X> && std::integral<Y>) {
    const bool negative = y < Y{0};
    return integer_power(x, static_cast<std::uint64_t>(magnitude(y)), negative);
  } else {
    return convert<X>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }
}

/// The widest type of an exponent's kind: code for each base and each kind of exponent is a quarter
/// of that for all pairs of types.
ElementType widest(ElementType exponent) {
  if (is_float_type(exponent)) return ElementType::F64;
  return exponent == ElementType::U64 ? ElementType::U64 : ElementType::I64;
}

std::vector<Tensor> evaluate_power(const OpCall& call, std::span<const Tensor> inputs) {
  constexpr ElementSet exponents = set_of(ElementType::F64) | ElementType::U64 | ElementType::I64;
  const Tensor wide = cast(inputs[1], widest(inputs[1].element()));
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_in<kBases>(inputs[0].element(), [&](auto base) {
    dispatch_in<exponents>(wide.element(), [&](auto exponent) {
      using X = typename decltype(base)::type;
      using Y = typename decltype(exponent)::type;
      map_pairs<X, Y, X>(inputs[0], wide, out, [](auto x, auto y) { return power(x, y); });
    });
  });
  return {out};
}

OpDef power_row() {
  OpDef def = binary_row<kBases>("Pow", {1, 7, 12, 13, 15}, [](auto x, auto) { return x; });
  def.special_numbers =
      "NaN becomes the integer 0 if the base is an integer; ONNX Runtime does as the "
      "processor does";
  def.infer = [](const OpCall& call) {
    if (call.input(1).element == ElementType::Bool)
      raise(ErrorKind::Model, "the exponent of Pow has type bool, expected a number");
    return std::vector<TensorType>{{call.input(0).element, broadcast(call)}};
  };
  def.evaluate = evaluate_power;
  return as_step(std::move(def));
}

/// The remainder with the sign of the divisor, or of the dividend if `truncated`.
template <class T>
T remainder(T a, T b, bool truncated) {
  if constexpr (std::floating_point<T>) {
    const T rest = std::fmod(a, b);
    if (truncated || std::isnan(rest)) return rest;
    if (rest == T{0}) return std::copysign(T{0}, b);
    return (rest < T{0}) != (b < T{0}) ? rest + b : rest;
  } else {
    if (b == 0) return 0;
    if constexpr (std::signed_integral<T>)
      if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    const bool wrong_side = rest != 0 && (rest < 0) != (b < 0);
    return wrong_side && !truncated ? static_cast<T>(rest + b) : rest;
  }
}

OpDef remainder_row() {
  OpDef def = binary_row<kNumbers>("Mod", {10, 13, 28}, [](auto a, auto) { return a; });
  def.attributes = {{"fmod", AttributeKind::Integer}};
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    const bool truncated = call.attributes->integer("fmod", 0) != 0;
    return evaluate_pairs<kNumbers>(call, inputs,
                                    [=](auto a, auto b) { return remainder(a, b, truncated); });
  };
  def.steps = {{.name = "Mod", .form = {{"fmod", 1}}}};
  return def;
}

/// A shift by the width of the type or more, or by a negative amount, leaves the sign only.
template <class T>
T shift(T x, T by, bool left) {
  const bool outside = by < T{0} || by >= static_cast<T>(std::numeric_limits<T>::digits +
                                                         (std::signed_integral<T> ? 1 : 0));
  if (left) return outside ? T{0} : static_cast<T>(static_cast<Wrapping<T>>(x) << by);
  if (outside) return x < T{0} ? static_cast<T>(-1) : T{0};
  return static_cast<T>(x >> by);
}

bool shifts_left(const Attributes& attributes) {
  const std::string direction = attributes.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    raise(ErrorKind::Model,
          fmt::format("attribute 'direction' of BitShift is {}, expected LEFT or RIGHT",
                      quote(direction)));
  return direction == "LEFT";
}

OpDef shift_row() {
  OpDef def = binary_row<kIntegers>("BitShift", {11, 28}, [](auto x, auto) { return x; });
  def.attributes = {{"direction", AttributeKind::Text, true}};
  def.infer = [](const OpCall& call) {
    shifts_left(*call.attributes);
    return meet(call);
  };
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return evaluate_pairs<kIntegers>(
        call, inputs,
        [left = shifts_left(*call.attributes)](auto x, auto by) { return shift(x, by, left); });
  };
  return def;
}

/// The slope broadcasts to the input, but not the other way round.
OpDef prelu_row() {
  OpDef def = binary_row<kSloped>("PRelu", {1, 6, 7, 9, 16}, [](auto x, auto slope) {
    return x < decltype(x){0} ? multiply(slope, x) : x;
  });
  def.infer = [](const OpCall& call) {
    std::vector<TensorType> types = meet(call);
    if (types[0].dims != call.dims(0))
      raise(ErrorKind::Model,
            fmt::format("the slope {} of PRelu does not broadcast to its input {}",
                        to_string(call.dims(1)), to_string(call.dims(0))));
    return types;
  };
  return as_step(std::move(def));
}

/// a * sigmoid(alpha * a) * b
OpDef swiglu_row() {
  OpDef def = binary_row<kFloats>("SwiGLU", {28}, [](auto a, auto) { return a; });
  def.attributes = {{"alpha", AttributeKind::Real}};
  def.infer = [](const OpCall& call) {
    if (call.dims(0) != call.dims(1))
      raise(ErrorKind::Model,
            fmt::format("inputs of SwiGLU have shapes {} and {}, expected one shape",
                        to_string(call.dims(0)), to_string(call.dims(1))));
    return meet(call);
  };
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return evaluate_pairs<kFloats>(call, inputs,
                                   [alpha = call.attributes->real("alpha", 1)](auto a, auto b) {
                                     using T = decltype(a);
                                     return a / (T{1} + std::exp(-static_cast<T>(alpha) * a)) * b;
                                   });
  };
  return def;
}

}  // namespace

std::vector<OpDef> binary_ops() {
  return {
      commuting_step(
          binary_row<kNumbers>("Add", {1, 6, 7, 13, 14}, [](auto a, auto b) { return add(a, b); })),
      as_step(binary_row<kNumbers>("Sub", {1, 6, 7, 13, 14},
                                   [](auto a, auto b) { return subtract(a, b); })),
      commuting_step(binary_row<kNumbers>("Mul", {1, 6, 7, 13, 14},
                                          [](auto a, auto b) { return multiply(a, b); })),
      as_step(binary_row<kNumbers>("Div", {1, 6, 7, 13, 14},
                                   [](auto a, auto b) { return divide(a, b); })),
      binary_row<kIntegers>("BitwiseAnd", {18}, [](auto a, auto b) { return a & b; }),
      binary_row<kIntegers>("BitwiseOr", {18}, [](auto a, auto b) { return a | b; }),
      binary_row<kIntegers>("BitwiseXor", {18}, [](auto a, auto b) { return a ^ b; }),
      binary_row<set_of(ElementType::Bool)>("And", {1, 7}, [](auto a, auto b) { return a && b; }),
      binary_row<set_of(ElementType::Bool)>("Or", {1, 7}, [](auto a, auto b) { return a || b; }),
      binary_row<set_of(ElementType::Bool)>("Xor", {1, 7}, [](auto a, auto b) { return a != b; }),
      power_row(),
      remainder_row(),
      shift_row(),
      prelu_row(),
      swiglu_row(),
  };
}

}  // namespace braid
