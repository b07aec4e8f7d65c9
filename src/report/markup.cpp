#include "report/markup.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace braid {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf")) {
      out += "\xef\xbf\xbd";
      i += 2;
      continue;
    }
    const bool allowed =
        static_cast<unsigned char>(text[i]) >= 0x20 || text[i] == '\t' || text[i] == '\n';
    if (!allowed) {
      out += "\xef\xbf\xbd";
      continue;
    }
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string quoted_dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string_view operator_colour(std::size_t rank) {
  // The same colours as in page/data.js.
  constexpr std::array<std::string_view, 10> kColours = {"#74aef0", "#f5b461", "#82cc86", "#ee9393",
                                                         "#bda4ea", "#7fd1d1", "#eaa9d2", "#d3c25c",
                                                         "#cda283", "#a9c0d6"};
  return rank < kColours.size() ? kColours[rank] : "#b4bac2";
}

std::string stream_colour(std::size_t stream) {
  // Steps of the golden angle keep neighbours apart, however many there are.
  const double hue = std::fmod(210 + 137.508 * static_cast<double>(stream), 360);
  const double lightness = stream % 2 == 0 ? 0.72 : 0.80;
  const auto channel = [&](double n) {
    const double k = std::fmod(n + hue / 30, 12);
    const double a = 0.55 * std::min(lightness, 1 - lightness);
    const double value = lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(255 * value));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

}  // namespace braid
