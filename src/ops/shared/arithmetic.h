#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/element.h"

/// Arithmetic that is defined for every operand: integers wrap around, whatever their width.

namespace braid {

/// The unsigned type in which integers of type T are computed. At least as wide as `unsigned`, or
/// promotion would make the arithmetic signed again.
template <std::integral T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <class T>
T add(T a, T b) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  else
    return a + b;
}

template <class T>
T subtract(T a, T b) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  else
    return a - b;
}

template <class T>
T multiply(T a, T b) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  else
    return a * b;
}

template <class T>
T negate(T a) {
  if constexpr (std::integral<T>)
    return subtract(T{0}, a);
  else
    return -a;
}

template <class T>
T magnitude(T a) {
  if constexpr (std::unsigned_integral<T>)
    return a;
  else if constexpr (std::integral<T>)
    return a < 0 ? negate(a) : a;
  else
    return std::fabs(a);
}

/// The quotient. Integers truncate; an integer divided by zero is zero.
template <class T>
T divide(T a, T b) {
  if constexpr (std::floating_point<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::signed_integral<T>)
      if (b == -1) return negate(a);
    return static_cast<T>(a / b);
  }
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::floating_point<T>)
    return std::isnan(x);
  else
    return false;
}

/// The smaller and the larger; NaN wins over any number.
template <class T>
T smaller(T a, T b) {
  if (is_nan(a)) return a;
  return b < a || is_nan(b) ? b : a;
}
template <class T>
T larger(T a, T b) {
  if (is_nan(a)) return a;
  return a < b || is_nan(b) ? b : a;
}

/// A number as another type: integers drop their high bits, floating-point numbers that do not fit
/// an integer become its nearest end and NaN becomes zero, anything but zero is true.
template <class To, class From>
To convert(From x) {
  if constexpr (std::same_as<To, bool>) {
    return x != From{0};
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    // Powers of two, so exact in From.
    constexpr From past =
        static_cast<From>(2) * static_cast<From>(To{1} << (std::numeric_limits<To>::digits - 1));
    constexpr From lowest = std::signed_integral<To> ? -past : From{0};
    // Without branches, so that compilers make loops over it into vector code.
    const bool fits = (lowest < x) & (x < past);
    const To whole = static_cast<To>(fits ? x : From{0});
    const To low = x <= lowest ? std::numeric_limits<To>::min() : To{0};
    const To end = x >= past ? std::numeric_limits<To>::max() : low;
    return fits ? whole : end;
  } else {
    return static_cast<To>(x);
  }
}

/// An element of type T from a number of any type.
template <class T, class From>
T element_from(From x) {
  if constexpr (std::same_as<T, Float16>)
    return to_float16(static_cast<std::conditional_t<std::same_as<From, float>, float, double>>(x));
  else if constexpr (std::same_as<T, BFloat16>)
    return to_bfloat16(
        static_cast<std::conditional_t<std::same_as<From, float>, float, double>>(x));
  else
    return convert<T>(x);
}

/// The type in which a sum of elements is kept: integers stay themselves and wrap.
template <class T>
using Accumulate = std::conditional_t<is_float<T>, double, T>;

}  // namespace braid
