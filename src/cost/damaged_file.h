#pragma once

#include <cstdint>
#include <filesystem>

namespace braid {

/// A number for the file that a path leads to now; 0 if it leads to none.
std::uint64_t file_identity(const std::filesystem::path& file);

/// Renames a damaged database, with the journals that belong to it, to FILE.aside, FILE.aside-2, …
/// If several processes find it damaged, only one renames it: the path must still lead to the file
/// of that identity, which is looked up while the folder is locked. Returns the new name; empty if
/// nothing was renamed.
std::filesystem::path set_damaged_aside(const std::filesystem::path& file, std::uint64_t identity);

}  // namespace braid
