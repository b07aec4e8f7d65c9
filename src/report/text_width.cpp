#include "report/text_width.h"

#include <cstddef>

namespace braid {
namespace {

constexpr double kBolder = 1.12;
constexpr double kOther = 1;  // not ASCII

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }

/// Of DejaVu Sans, rounded up.
double ascii_width(char c) {
  constexpr std::string_view narrow = " !'(),-./:;I[\\]fijlrt|";
  constexpr std::string_view wide = "%+<=>@MWmw~#";
  constexpr std::string_view capital = "ADGHNOQRUVXY&CK_";
  if (narrow.find(c) != std::string_view::npos) return 0.42;
  if (wide.find(c) != std::string_view::npos) return 1.01;
  return capital.find(c) != std::string_view::npos ? 0.8 : 0.69;
}

/// Of the character that begins with this byte; 0 for the bytes behind it.
double width_from(char first) {
  if (static_cast<unsigned char>(first) < 0x80) return ascii_width(first);
  return begins_character(first) ? kOther : 0;
}

}  // namespace

double text_width(std::string_view text, bool bold) {
  double width = 0;
  for (const char c : text) width += width_from(c);
  return bold ? kBolder * width : width;
}

std::string fitting(std::string_view text, double width, bool bold) {
  if (text_width(text, bold) <= width) return std::string(text);
  double left = width - text_width("…", bold);
  std::size_t begin = text.size();
  for (std::size_t i = text.size(); i-- > 0;) {
    if (!begins_character(text[i])) continue;
    left -= text_width(text.substr(i, 1), bold);
    if (left < 0) break;
    begin = i;
  }
  return "…" + std::string(text.substr(begin));
}

}  // namespace braid
