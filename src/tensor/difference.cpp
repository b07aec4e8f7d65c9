#include "tensor/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/each_pair.h"

namespace braid {
namespace {

template <class T>
double as_double(T x) {
  return static_cast<double>(load(x));
}

}  // namespace

double Difference::max_rel() const {
  if (max_abs == 0) return 0;
  return largest > 0 ? max_abs / largest : std::numeric_limits<double>::infinity();
}

Difference difference(const Tensor& tensor, const Tensor& reference) {
  Difference result;
  result.identical = identical(tensor, reference);
  each_pair(tensor, reference, [&](std::size_t, auto got, auto expected) {
    const double magnitude = std::fabs(as_double(expected));
    result.max_abs = std::max(result.max_abs, distance_of(got, expected));
    if (std::isfinite(magnitude)) result.largest = std::max(result.largest, magnitude);
  });
  return result;
}

bool all_close(const Tensor& tensor, const Tensor& reference, double absolute, double relative) {
  bool close = true;
  each_pair(tensor, reference, [&](std::size_t, auto got, auto expected) {
    const double apart = distance_of(got, expected);
    const double allowed = absolute + relative * std::fabs(as_double(expected));
    close = close && (apart == 0 || (std::isfinite(apart) && apart <= allowed));
  });
  return close;
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  bool same = true;
  dispatch(a.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto equal = [](const T& x, const T& y) {
      if (std::memcmp(&x, &y, sizeof x) == 0) return true;
      if constexpr (is_float<T>) return std::isnan(as_double(x)) && std::isnan(as_double(y));
      return false;
    };
    same = std::ranges::equal(a.aligned().data<T>(), b.aligned().data<T>(), equal);
  });
  return same;
}

}  // namespace braid
