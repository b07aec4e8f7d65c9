#include "sim/stated_interference.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace braid::sim {
namespace {

constexpr std::array kClasses = {KernelClass::Compute, KernelClass::Memory};
/// Beside a single neighbour nothing takes longer than this many times.
constexpr double kMostSlowdown = 10;

bool is_class(std::string_view text) {
  return std::ranges::any_of(kClasses, [&](KernelClass kind) { return name(kind) == text; });
}

std::string read_side(const JsonPlace& place, std::span<const std::string> families) {
  const std::string text = place.text();
  if (!is_class(text) && std::ranges::find(families, text) == families.end())
    place.fail(
        fmt::format("expected \"{}\", \"{}\" or a kernel family of this file, got {}; it has: {}",
                    name(kClasses[0]), name(kClasses[1]), quote(text), fmt::join(families, ", ")));
  return text;
}

StatedInterference read_row(const JsonPlace& place, std::span<const std::string> families) {
  place.expect_keys({"first", "second", "slowdown_first", "slowdown_second", "source"});
  StatedInterference row;
  row.first = read_side(place["first"], families);
  row.second = read_side(place["second"], families);
  row.slowdown_first = place["slowdown_first"].real(1, kMostSlowdown);
  row.slowdown_second = place["slowdown_second"].real(1, kMostSlowdown);
  row.source = place["source"].text();
  if (row.source.empty()) place["source"].fail("expected who measured it, and on what");
  return row;
}

bool same_pair(const StatedInterference& a, const StatedInterference& b) {
  return (a.first == b.first && a.second == b.second) ||
         (a.first == b.second && a.second == b.first);
}

/// How well the row's word fits: 2 by name, 1 by class, 0 not at all.
int fit(const std::string& word, const KernelKind& kernel) {
  if (word == name(kernel.kind)) return 1;
  return word == kernel.family ? 2 : 0;
}

}  // namespace

std::string_view name(KernelClass kind) {
  return kind == KernelClass::Compute ? "compute" : "memory";
}

std::vector<StatedInterference> read_interference(const JsonPlace& place,
                                                  std::span<const std::string> families) {
  std::vector<StatedInterference> rows;
  for (std::size_t i = 0; i < place.size(); ++i) {
    StatedInterference row = read_row(place.at(i), families);
    if (std::ranges::any_of(rows, [&](const auto& other) { return same_pair(row, other); }))
      place.at(i).fail(fmt::format("{} beside {} stands there twice: keep one of the rows",
                                   quote(row.first), quote(row.second)));
    if (row.first == row.second && row.slowdown_first != row.slowdown_second)
      place.at(i).fail(
          fmt::format("{} beside its like has two slowdowns, {} and {}: expected the same twice",
                      quote(row.first), row.slowdown_first, row.slowdown_second));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<Slowdowns> stated(std::span<const StatedInterference> rows, const KernelKind& first,
                                const KernelKind& second) {
  std::optional<Slowdowns> best;
  int best_fit = 0;
  for (const StatedInterference& row : rows) {
    const auto consider = [&](int a, int b, double slowdown_first, double slowdown_second) {
      if (a == 0 || b == 0 || a + b <= best_fit) return;
      best_fit = a + b;
      best = Slowdowns{slowdown_first, slowdown_second, &row};
    };
    consider(fit(row.first, first), fit(row.second, second), row.slowdown_first,
             row.slowdown_second);
    consider(fit(row.first, second), fit(row.second, first), row.slowdown_second,
             row.slowdown_first);
  }
  return best;
}

}  // namespace braid::sim
