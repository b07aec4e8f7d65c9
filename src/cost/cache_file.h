#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace braid {

/// Whether a file is a profile cache by its first bytes: SQLite's mark and our application id. Of
/// any version, and however damaged behind them.
bool is_profile_cache(const std::filesystem::path& file);

/// Why a file cannot become a profile cache, in words: it is there, and is something else. Nothing
/// for a cache, an empty file or database, one that cannot be read, and none.
std::optional<std::string> why_no_cache(const std::filesystem::path& file);

}  // namespace braid
