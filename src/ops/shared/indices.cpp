#include "ops/shared/indices.h"

#include <fmt/format.h>

#include "base/error.h"

namespace braid {

void require_indices(const OpCall& call, std::size_t i) {
  const ElementType element = call.input(i).element;
  if (element != ElementType::I32 && element != ElementType::I64)
    raise(ErrorKind::Model, fmt::format("the indices of {} have type {}, expected i64 or i32",
                                        call.op, name(element)));
}

std::vector<std::int64_t> read_indices(const Tensor& tensor) {
  std::vector<std::int64_t> out;
  if (tensor.element() == ElementType::I32) {
    const auto data = tensor.data<std::int32_t>();
    out.assign(data.begin(), data.end());
  } else {
    const auto data = tensor.data<std::int64_t>();
    out.assign(data.begin(), data.end());
  }
  return out;
}

std::int64_t normal_index(std::string_view op, std::int64_t index, std::int64_t length) {
  if (index < -length || index >= length)
    raise(ErrorKind::Model,
          fmt::format("index {} of {} is outside an axis of length {}", index, op, length));
  return index < 0 ? index + length : index;
}

}  // namespace braid
