#pragma once

#include <cstdint>
#include <string_view>

namespace braid::sim {

/// A number from -1 to 1 that the draw and the text decide.
double wobble(int draw, std::string_view what);
/// The same for one of many things of a name, which `which` tells apart.
double wobble(int draw, std::string_view what, std::uint64_t which);

}  // namespace braid::sim
