#include "cli/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/table.h"
#include "ops/cast.h"
#include "tensor/element.h"

namespace braid::cli {
namespace {

/// A type that holds the elements of both, the largest whole numbers aside.
ElementType common_element(ElementType one, ElementType other) {
  if (one == other) return one;
  const bool real = is_float_type(one) || is_float_type(other);
  const bool large = one == ElementType::U64 || other == ElementType::U64;
  return real || large ? ElementType::F64 : ElementType::I64;
}

Tolerance tolerance_of(ElementType got, ElementType expected, const GivenTolerance& given) {
  Tolerance tolerance = usual_tolerance(got, expected);
  const bool real = is_float_type(got) || is_float_type(expected);
  if (real)
    tolerance.relative = std::max(tolerance.relative, usual_tolerance(given.computed_in).relative);
  if (given.absolute) tolerance.absolute = *given.absolute;
  if (given.relative && real) tolerance.relative = *given.relative;
  return tolerance;
}

std::string number_text(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return fmt::format("{:.9g}", *real);
  return std::visit([](auto x) { return fmt::format("{}", x); }, number);
}

nlohmann::ordered_json number_json(const Number& number) {
  if (const double* real = std::get_if<double>(&number)) return json_number(*real);
  return std::visit([](auto x) { return nlohmann::ordered_json(x); }, number);
}

std::string pair_text(const ElementPair& pair) {
  return fmt::format("{}: {}, expected {}", to_string(pair.index), number_text(pair.got),
                     number_text(pair.expected));
}

nlohmann::ordered_json pair_json(const ElementPair& pair) {
  return {{"index", pair.index},
          {"got", number_json(pair.got)},
          {"expected", number_json(pair.expected)}};
}

std::string count_text(std::string_view what, std::int64_t got, std::int64_t expected) {
  if (got == 0 && expected == 0) return {};
  return fmt::format("; {}: {}, expected {}", what, grouped(got), grouped(expected));
}

}  // namespace

double OutputComparison::excess() const {
  if (difference.max_abs == 0) return 0;
  return allowed() > 0 ? difference.max_abs / allowed() : std::numeric_limits<double>::infinity();
}

OutputComparison compare_output(const Tensor& got, const Tensor& expected,
                                const GivenTolerance& given, double slack) {
  if (got.dims() != expected.dims())
    raise(ErrorKind::Mismatch, fmt::format("the shape is {}, expected {}", to_string(got.dims()),
                                           to_string(expected.dims())));
  OutputComparison found{.elements = element_count(got.dims()),
                         .tolerance = tolerance_of(got.element(), expected.element(), given)};
  if (got.element() != expected.element())
    found.types = fmt::format("{}, expected {}", name(got.element()), name(expected.element()));
  const ElementType common = common_element(got.element(), expected.element());
  const Tensor left = cast(got.aligned(), common);
  const Tensor right = cast(expected.aligned(), common);
  found.difference = difference(left, right);
  found.beyond = slack * found.allowed();
  found.mismatch = mismatch(left, right, found.beyond);
  return found;
}

std::string mismatch_text(const OutputComparison& found) {
  const Mismatch& beyond = found.mismatch;
  if (!beyond.first) return {};
  std::string text = fmt::format(
      "{} of {} elements differ{}; the first is {}", grouped(beyond.count), grouped(found.elements),
      found.beyond > 0 ? fmt::format(" by more than {:.3g}", found.beyond) : "",
      pair_text(*beyond.first));
  if (beyond.count > 1) text += fmt::format("; the worst is {}", pair_text(*beyond.worst));
  return text + count_text("NaN", beyond.got.nan, beyond.expected.nan) +
         count_text("infinite", beyond.got.infinite, beyond.expected.infinite);
}

nlohmann::ordered_json comparison_json(const OutputComparison& found) {
  const Mismatch& beyond = found.mismatch;
  const double largest = found.difference.largest;
  const double relative = beyond.largest_finite == 0 ? 0 : beyond.largest_finite / largest;
  nlohmann::ordered_json out = {{"max_abs", beyond.largest_finite},
                                {"max_rel", json_number(relative)},
                                {"largest", largest},
                                {"atol", found.tolerance.absolute},
                                {"rtol", found.tolerance.relative},
                                {"elements", found.elements},
                                {"differing", beyond.count}};
  if (beyond.first) out["first"] = pair_json(*beyond.first);
  if (beyond.worst) out["worst"] = pair_json(*beyond.worst);
  out["nan"] = {{"got", beyond.got.nan}, {"expected", beyond.expected.nan}};
  out["infinite"] = {{"got", beyond.got.infinite}, {"expected", beyond.expected.infinite}};
  if (!found.types.empty()) out["types"] = found.types;
  return out;
}

}  // namespace braid::cli
