#pragma once

#include <string_view>
#include <vector>

#include "ops/op.h"

namespace braid {

/// All operators, sorted by name.
const std::vector<OpDef>& catalog();
/// Null if there is no such operator.
const OpDef* find_op(std::string_view name);
/// Throws Unsupported if there is no such operator.
const OpDef& op_def(std::string_view name);

}  // namespace braid
