#include "cli/byte_size.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cli {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr double kK = 1024;
constexpr std::array kUnits = {
    Unit{"", 1},     Unit{"B", 1},          Unit{"K", kK},           Unit{"KiB", kK},
    Unit{"kB", 1e3}, Unit{"KB", 1e3},       Unit{"M", kK* kK},       Unit{"MiB", kK* kK},
    Unit{"MB", 1e6}, Unit{"G", kK* kK* kK}, Unit{"GiB", kK* kK* kK}, Unit{"GB", 1e9},
};

}  // namespace

std::int64_t parse_byte_size(std::string_view text, std::string_view option) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  std::string_view unit(end, static_cast<std::size_t>(last - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& row : kUnits) {
    const double bytes = number * row.bytes;
    if (problem == std::errc() && unit == row.name && bytes >= 1 && bytes < 9e18)
      return static_cast<std::int64_t>(bytes);
  }
  raise(ErrorKind::Usage, fmt::format("{}: {} is no size; write 64MiB, 67MB or a number of bytes",
                                      option, quote(text)));
}

}  // namespace braid::cli
