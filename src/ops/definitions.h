#pragma once

#include <array>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Each family file offers its operators by one of these; the table below is the catalogue.
std::vector<OpDef> activation_ops();
std::vector<OpDef> binary_ops();
std::vector<OpDef> cast_ops();
std::vector<OpDef> compare_ops();
std::vector<OpDef> select_ops();
std::vector<OpDef> unary_ops();
std::vector<OpDef> variadic_ops();

using Family = std::vector<OpDef> (*)();
inline constexpr auto kFamilies = std::to_array<Family>({
    activation_ops,
    binary_ops,
    cast_ops,
    compare_ops,
    select_ops,
    unary_ops,
    variadic_ops,
});

}  // namespace braid
