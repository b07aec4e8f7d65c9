#include "report/page.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "report/markup.h"
#include "report/page_files.h"

namespace braid {
namespace {

/// A digest in hexadecimal digits as base64, which is how a policy names it.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    const std::string_view three = hex.substr(i, 6);
    std::uint32_t bits = 0;
    std::from_chars(three.data(), three.data() + three.size(), bits, 16);
    bits <<= 24 - 4 * three.size();
    for (std::size_t k = 0; k < 4; ++k)
      out += 6 * k < 4 * three.size() ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      base64_of_hex(kScriptSha256), base64_of_hex(kStyleSha256));
}

std::string title(const Report& report) {
  std::string names;
  for (const ReportModel& model : report.models)
    names += (names.empty() ? "" : ", ") + printable(model.name);
  return fmt::format("{} on {}{} — Braid report", names, printable(report.device),
                     report.simulated ? " (simulated)" : "");
}

}  // namespace

std::string html_page(const Report& report) {
  const auto filling = [&](std::string_view name) -> std::string {
    if (name == "policy") return policy();
    if (name == "title") return escaped_markup(title(report));
    if (name == "style") return std::string(kStyle);
    if (name == "script") return std::string(kScript);
    require(name == "data", "the page's template has a gap that nobody fills");
    return script_json(to_json(report));
  };
  std::string page;
  for (std::string_view rest = kPage; !rest.empty();) {
    const std::size_t open = std::min(rest.find("{{"), rest.size());
    page += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const std::size_t close = rest.find("}}");
    page += filling(rest.substr(2, close - 2));
    rest.remove_prefix(close + 2);
  }
  return page;
}

}  // namespace braid
