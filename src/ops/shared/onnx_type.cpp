#include "ops/shared/onnx_type.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"

namespace braid {
namespace {

/// ONNX's numbers of the element types, in the order of ElementType.
constexpr std::array<std::int64_t, 13> kOnnxNumbers = {1, 11, 10, 16, 3, 5, 6, 7, 2, 4, 12, 13, 9};
constexpr std::int64_t kLastType = 28;

}  // namespace

std::int64_t onnx_type(ElementType type) { return kOnnxNumbers[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_of_onnx(std::int64_t type) {
  const auto at = std::find(kOnnxNumbers.begin(), kOnnxNumbers.end(), type);
  if (at == kOnnxNumbers.end()) return std::nullopt;
  return static_cast<ElementType>(at - kOnnxNumbers.begin());
}

ElementType element_of_onnx(std::string_view op, std::int64_t type) {
  if (const auto element = element_of_onnx(type)) return *element;
  if (type < 1 || type > kLastType)
    raise(ErrorKind::Model,
          fmt::format("{} names element type {}, which ONNX does not have", op, type));
  raise(ErrorKind::Unsupported,
        fmt::format("{} names ONNX element type {}, which is not supported", op, type));
}

}  // namespace braid
