#pragma once

#include <cstdint>
#include <string_view>

namespace braid::cli {

/// "64MiB", "64M" (the same), "67MB" (millions), "1.5GiB" or "4096" as bytes, at least 1. Throws
/// Usage, naming `option`.
std::int64_t parse_byte_size(std::string_view text, std::string_view option);

}  // namespace braid::cli
