#pragma once

#include <array>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Each family file offers its operators by one of these; the table below is the catalogue.
std::vector<OpDef> unary_ops();

using Family = std::vector<OpDef> (*)();
inline constexpr std::array kFamilies = {Family{unary_ops}};

}  // namespace braid
