#pragma once

#include <cstdint>
#include <string>

namespace braid {

std::int64_t seconds_since_1970();

/// "2026-11-18 14:03 UTC"; "an unknown day" for what is no moment of the years 1970 to 9999.
std::string date_text(std::int64_t seconds_since_1970);

}  // namespace braid
