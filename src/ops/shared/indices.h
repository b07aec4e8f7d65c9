#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Throws Model unless input `i` has elements of type i32 or i64.
void require_indices(const OpCall& call, std::size_t i);

/// The elements of an i32 or i64 tensor.
std::vector<std::int64_t> read_indices(const Tensor& tensor);

/// The index counted from the front. Throws Model, naming the operator, unless
/// -length <= index < length.
std::int64_t normal_index(std::string_view op, std::int64_t index, std::int64_t length);

}  // namespace braid
