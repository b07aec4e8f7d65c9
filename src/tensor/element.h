#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <braid/tensor.h>

#include "base/error.h"

namespace braid {

float to_float(Float16 x);
float to_float(BFloat16 x);
/// Round to nearest, ties to even; overflow gives infinity.
Float16 to_float16(float x);
Float16 to_float16(double x);
BFloat16 to_bfloat16(float x);
BFloat16 to_bfloat16(double x);

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_small_float<T>;

/// The type in which elements of type T are computed: float for the two small floats, T itself
/// otherwise.
template <class T>
using Compute = std::conditional_t<is_small_float<T>, float, T>;

template <class T>
Compute<T> load(T x) {
  if constexpr (is_small_float<T>)
    return to_float(x);
  else
    return x;
}

template <class T, class C>
T store(C x) {
  if constexpr (std::is_same_v<T, Float16>)
    return to_float16(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return to_bfloat16(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

inline bool is_float_type(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::F16 ||
         type == ElementType::BF16;
}

std::optional<ElementType> element_named(std::string_view name);

template <class T>
struct ElementTag {
  using type = T;
};

/// Calls `f(ElementTag<T>{})` with the C++ type of the element type.
template <class F>
decltype(auto) dispatch(ElementType type, F&& f) {
  switch (type) {
    case ElementType::F32:
      return f(ElementTag<float>{});
    case ElementType::F64:
      return f(ElementTag<double>{});
    case ElementType::F16:
      return f(ElementTag<Float16>{});
    case ElementType::BF16:
      return f(ElementTag<BFloat16>{});
    case ElementType::I8:
      return f(ElementTag<std::int8_t>{});
    case ElementType::I16:
      return f(ElementTag<std::int16_t>{});
    case ElementType::I32:
      return f(ElementTag<std::int32_t>{});
    case ElementType::I64:
      return f(ElementTag<std::int64_t>{});
    case ElementType::U8:
      return f(ElementTag<std::uint8_t>{});
    case ElementType::U16:
      return f(ElementTag<std::uint16_t>{});
    case ElementType::U32:
      return f(ElementTag<std::uint32_t>{});
    case ElementType::U64:
      return f(ElementTag<std::uint64_t>{});
    case ElementType::Bool:
      return f(ElementTag<bool>{});
  }
  raise(ErrorKind::Internal, "element type out of range");
}

/// The same for the four float types only; others are a bug.
template <class F>
decltype(auto) dispatch_floats(ElementType type, F&& f) {
  switch (type) {
    case ElementType::F32:
      return f(ElementTag<float>{});
    case ElementType::F64:
      return f(ElementTag<double>{});
    case ElementType::F16:
      return f(ElementTag<Float16>{});
    case ElementType::BF16:
      return f(ElementTag<BFloat16>{});
    default:
      raise(ErrorKind::Internal, "an operator on floats met another element type");
  }
}

/// Calls `f` with a type of the same size, for code that only moves elements: uint8_t to uint64_t.
template <class F>
decltype(auto) dispatch_size(ElementType type, F&& f) {
  switch (byte_size(type)) {
    case 1:
      return f(ElementTag<std::uint8_t>{});
    case 2:
      return f(ElementTag<std::uint16_t>{});
    case 4:
      return f(ElementTag<std::uint32_t>{});
    default:
      return f(ElementTag<std::uint64_t>{});
  }
}

}  // namespace braid
