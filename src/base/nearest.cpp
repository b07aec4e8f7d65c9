#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.h"

namespace braid {
namespace {

constexpr std::size_t kMostBytes = 100;
constexpr std::size_t kMostNames = 50'000;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMostBytes);
  b = b.substr(0, kMostBytes);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view wanted, std::span<const std::string> names) {
  std::string best;
  // A name of which no character is kept is not like what was written.
  std::size_t best_distance =
      std::min(wanted.size(), std::max<std::size_t>(2, wanted.size() / 3) + 1);
  for (const std::string& name : names.subspan(0, std::min(names.size(), kMostNames))) {
    if (name.empty()) continue;
    const auto lengths = std::minmax(name.size(), wanted.size());
    std::size_t distance = lengths.second - lengths.first;
    if (distance < best_distance) distance = edit_distance(wanted, name);
    // A name that holds what was written, or the other way round, is near however long it is.
    if (!wanted.empty() && (name.find(wanted) != std::string::npos || wanted.ends_with(name)))
      distance = std::min<std::size_t>(distance, 2);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names) {
  const std::string found = nearest(wanted, names);
  return found.empty() || found == wanted ? "" : "; did you mean " + printable(found) + "?";
}

}  // namespace braid
