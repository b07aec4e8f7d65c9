#include "base/text.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace braid {
namespace {

std::size_t continuation_bytes(unsigned char lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  if (lead >= 0xf0 && lead <= 0xf4) return 3;
  return 0;
}

/// The length of the harmless UTF-8 character at `i`, or 0. C1 controls (U+0080–U+009F) and the
/// marks that reorder or hide text (U+200B–U+200F, U+2028–U+202E, U+2060–U+206F, U+FEFF) are not
/// harmless.
std::size_t plain_character(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t more = continuation_bytes(lead);
  if (more == 0 || i + more > text.size() - 1) return 0;
  std::uint32_t code = lead & (0x3fU >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3fU);
  }
  const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool hidden = (code >= 0x80 && code <= 0x9f) || (code >= 0x200b && code <= 0x200f) ||
                      (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
                      code == 0xfeff;
  return overlong || surrogate || hidden || code > 0x10ffff ? 0 : more + 1;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    if (out.size() >= limit) return out + "…";
    const std::size_t length = plain_character(text, i);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      ++i;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string quote(std::string_view text) { return "'" + printable(text) + "'"; }

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    pieces.emplace_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(pieces.back().size() + 1, text.size()));
  }
  return pieces;
}

std::string grouped(long long number) {
  std::string digits = fmt::format("{}", number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3;
       at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(std::int64_t number, std::string_view one, std::string_view several) {
  if (number == 1) return fmt::format("1 {}", one);
  return several.empty() ? fmt::format("{} {}s", grouped(number), one)
                         : fmt::format("{} {}", grouped(number), several);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace braid
