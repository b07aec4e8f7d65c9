#include <cmath>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/step.h"

namespace braid {
namespace {

/// A row whose function takes one element and gives one of the same type.
template <ElementSet Types, class F>
OpDef unary_row(std::string_view name, std::vector<int> versions, F) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.types = Types;
  def.infer = same_type;
  def.work = one_flop_each;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return std::vector{map_each<Types, void>(inputs[0], call.outputs[0], F{})};
  };
  return def;
}

std::vector<TensorType> truth(const OpCall& call) { return {{ElementType::Bool, call.dims(0)}}; }

OpDef is_nan_row() {
  OpDef def = unary_row<kFloats>("IsNaN", {9, 13, 20}, [](auto x) { return x; });
  def.infer = truth;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return std::vector{
        map_each<kFloats, bool>(inputs[0], call.outputs[0], [](auto x) { return std::isnan(x); })};
  };
  return def;
}

OpDef is_inf_row() {
  OpDef def = unary_row<kFloats>("IsInf", {10, 20}, [](auto x) { return x; });
  def.attributes = {{"detect_negative", AttributeKind::Integer},
                    {"detect_positive", AttributeKind::Integer}};
  def.infer = truth;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    const bool negative = call.attributes->integer("detect_negative", 1) != 0;
    const bool positive = call.attributes->integer("detect_positive", 1) != 0;
    return std::vector{map_each<kFloats, bool>(inputs[0], call.outputs[0], [=](auto x) {
      return std::isinf(x) && (std::signbit(x) ? negative : positive);
    })};
  };
  return def;
}

OpDef identity_row() {
  OpDef def;
  def.name = "Identity";
  def.elements = Elements::Copied;
  def.versions = {1, 13, 14, 16, 19, 21, 23, 24, 25};
  def.infer = same_type;
  def.evaluate = [](const OpCall&, std::span<const Tensor> inputs) {
    return std::vector{inputs[0]};
  };
  return def;
}

template <class T>
T sign(T x) {
  if (is_nan(x)) return x;
  return static_cast<T>(static_cast<int>(T{0} < x) - static_cast<int>(x < T{0}));
}

/// Unlike std::nearbyint this does not depend on the rounding mode.
template <class T>
T round_half_even(T x) {
  const T rounded = std::round(x);
  if (std::fabs(x - std::trunc(x)) != T{0.5}) return rounded;
  return std::copysign(T{2} * std::round(x / T{2}), x);
}

}  // namespace

std::vector<OpDef> unary_ops() {
  return {
      as_step(unary_row<kNumbers>("Abs", {1, 6, 13}, [](auto x) { return magnitude(x); })),
      as_step(unary_row<kSigned>("Neg", {1, 6, 13}, [](auto x) { return negate(x); })),
      as_step(unary_row<kNumbers>("Sign", {9, 13}, [](auto x) { return sign(x); })),
      as_step(
          unary_row<kFloats>("Reciprocal", {1, 6, 13}, [](auto x) { return decltype(x){1} / x; })),
      as_step(unary_row<kFloats>("Sqrt", {1, 6, 13}, [](auto x) { return std::sqrt(x); })),
      as_step(unary_row<kFloats>("Exp", {1, 6, 13}, [](auto x) { return std::exp(x); })),
      as_step(unary_row<kFloats>("Log", {1, 6, 13}, [](auto x) { return std::log(x); })),
      as_step(unary_row<kFloats>("Erf", {9, 13}, [](auto x) { return std::erf(x); })),
      as_step(unary_row<kFloats>("Floor", {1, 6, 13}, [](auto x) { return std::floor(x); })),
      as_step(unary_row<kFloats>("Ceil", {1, 6, 13}, [](auto x) { return std::ceil(x); })),
      as_step(unary_row<kFloats>("Round", {11, 22}, [](auto x) { return round_half_even(x); })),
      as_step(unary_row<kFloats>("Sin", {7, 22}, [](auto x) { return std::sin(x); })),
      as_step(unary_row<kFloats>("Cos", {7, 22}, [](auto x) { return std::cos(x); })),
      unary_row<kFloats>("Tan", {7, 22}, [](auto x) { return std::tan(x); }),
      unary_row<kFloats>("Asin", {7, 22}, [](auto x) { return std::asin(x); }),
      unary_row<kFloats>("Acos", {7, 22}, [](auto x) { return std::acos(x); }),
      unary_row<kFloats>("Atan", {7, 22}, [](auto x) { return std::atan(x); }),
      unary_row<kFloats>("Sinh", {9, 22}, [](auto x) { return std::sinh(x); }),
      unary_row<kFloats>("Cosh", {9, 22}, [](auto x) { return std::cosh(x); }),
      unary_row<kFloats>("Asinh", {9, 22}, [](auto x) { return std::asinh(x); }),
      unary_row<kFloats>("Acosh", {9, 22}, [](auto x) { return std::acosh(x); }),
      unary_row<kFloats>("Atanh", {9, 22}, [](auto x) { return std::atanh(x); }),
      unary_row<set_of(ElementType::Bool)>("Not", {1}, [](auto x) { return !x; }),
      unary_row<kIntegers>("BitwiseNot", {18}, [](auto x) { return static_cast<decltype(x)>(~x); }),
      is_nan_row(),
      is_inf_row(),
      identity_row(),
  };
}

}  // namespace braid
