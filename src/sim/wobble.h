#pragma once

#include <string_view>

namespace braid::sim {

/// A number from -1 to 1 that the draw and the text decide.
double wobble(int draw, std::string_view what);

}  // namespace braid::sim
