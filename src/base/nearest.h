#pragma once

#include <span>
#include <string>
#include <string_view>

namespace braid {

/// Changes of one character that make one text of the other: insert, remove, replace. Texts are
/// compared by their first 100 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that `wanted` was most likely meant to be, as a message suggests it: the first of those
/// that are nearest. Empty if none is like it. Looks at the first 50,000 names.
std::string nearest(std::string_view wanted, std::span<const std::string> names);

/// What a message about an unknown name ends with: "; did you mean X?", or nothing if no name is
/// like it.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

}  // namespace braid
