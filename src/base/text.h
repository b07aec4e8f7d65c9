#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// The text with its ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// "a,b" → "a", "b". An empty text has no pieces.
std::vector<std::string> comma_separated(std::string_view text);

/// 1234567 → "1,234,567".
std::string grouped(long long number);

/// A number with what it counts: "1 thread", "2 threads". `several` is for nouns whose plural is
/// not made by an s.
std::string counted(std::int64_t number, std::string_view one, std::string_view several = {});

/// Text from outside made safe to print on a terminal and on one line: control bytes and invalid
/// UTF-8 become \xNN, and a text longer than `limit` bytes is cut with "…". A name from a model
/// goes through here before it is shown.
std::string printable(std::string_view text, std::size_t limit = 200);

/// printable(), in single quotes.
std::string quote(std::string_view text);

}  // namespace braid
