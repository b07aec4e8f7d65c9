#include "tensor/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/element.h"

namespace braid {
namespace {

template <class T>
double as_double(T x) {
  return static_cast<double>(load(x));
}

/// How far apart two elements are. Two 64-bit integers are 0 apart only if they are equal, also
/// where a double cannot tell them apart.
template <class T>
double distance(T a, T b) {
  const double x = as_double(a);
  const double y = as_double(b);
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::infinity();
  if constexpr (std::is_integral_v<T>) {
    if (a == b) return 0;
    const double apart = std::fabs(x - y);
    return apart == 0 ? 1 : apart;
  } else {
    return x == y ? 0 : std::fabs(x - y);
  }
}

/// Calls `f(distance, magnitude of the reference)` for every element.
template <class F>
void each_pair(const Tensor& tensor, const Tensor& reference, F f) {
  if (tensor.type() != reference.type())
    raise(ErrorKind::Mismatch, fmt::format("a tensor of type {} is compared with one of type {}",
                                           to_string(tensor.type()), to_string(reference.type())));
  const Tensor left = tensor.aligned();
  const Tensor right = reference.aligned();
  dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto a = left.data<T>();
    const auto b = right.data<T>();
    for (std::size_t i = 0; i < a.size(); ++i) f(distance(a[i], b[i]), std::fabs(as_double(b[i])));
  });
}

}  // namespace

double Difference::max_rel() const {
  if (max_abs == 0) return 0;
  return largest > 0 ? max_abs / largest : std::numeric_limits<double>::infinity();
}

Difference difference(const Tensor& tensor, const Tensor& reference) {
  Difference result;
  result.identical = identical(tensor, reference);
  each_pair(tensor, reference, [&](double apart, double magnitude) {
    result.max_abs = std::max(result.max_abs, apart);
    if (std::isfinite(magnitude)) result.largest = std::max(result.largest, magnitude);
  });
  return result;
}

bool all_close(const Tensor& tensor, const Tensor& reference, double absolute, double relative) {
  bool close = true;
  each_pair(tensor, reference, [&](double apart, double magnitude) {
    close =
        close && (apart == 0 || (std::isfinite(apart) && apart <= absolute + relative * magnitude));
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
