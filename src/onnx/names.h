#pragma once

#include <string_view>

#include "graph/quotas.h"

namespace braid::onnx {

/// Throws Model if a name is not UTF-8, Quota if it is too long.
void check_name(std::string_view name, const Quotas& quotas);

/// The beginning of a name, to make other names from.
std::string_view shortened(std::string_view name);

}  // namespace braid::onnx
