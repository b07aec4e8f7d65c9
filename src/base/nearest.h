#pragma once

#include <span>
#include <string>
#include <string_view>

namespace braid {

/// Changes of one character that make one text of the other: insert, remove, replace. Texts are
/// compared by their first 100 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Of the names, the one that `wanted` was most likely meant to be: what a message suggests. Empty
/// if none is like it. Of equally near ones the first; looks at the first 50,000.
std::string nearest(std::string_view wanted, std::span<const std::string> names);

}  // namespace braid
