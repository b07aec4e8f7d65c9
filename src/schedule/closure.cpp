#include "schedule/closure.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace braid {
namespace {

/// A column of the closure: for each task which of some consecutive tasks come after it.
constexpr std::size_t kWords = 16;
constexpr std::size_t kColumn = 64 * kWords;
using Row = std::array<std::uint64_t, kWords>;

bool contains(const Row& row, std::size_t i) { return (row[i / 64] >> (i % 64) & 1) != 0; }
void insert(Row& row, std::size_t i) { row[i / 64] |= std::uint64_t{1} << (i % 64); }

}  // namespace

Closure::Closure(const TaskGraph& tasks) : rows_(tasks.size(), BitSet(tasks.size())) {
  for (std::size_t i = tasks.size(); i-- > 0;)
    for (Task next : tasks.after[i]) {
      rows_[i].insert(static_cast<std::size_t>(next));
      rows_[i] |= rows_[static_cast<std::size_t>(next)];
    }
}

std::vector<std::vector<Task>> transitive_reduction(const TaskGraph& tasks) {
  const std::size_t n = tasks.size();
  std::vector<std::vector<Task>> kept(n);
  std::vector<Row> rows(n);
  for (std::size_t begin = 0; begin < n; begin += kColumn) {
    const std::size_t end = std::min(n, begin + kColumn);
    for (std::size_t i = end; i-- > 0;) {
      Row below{};  // what comes after those right after this task
      for (Task next : tasks.after[i]) {
        const auto j = static_cast<std::size_t>(next);
        if (j >= end) continue;
        for (std::size_t w = 0; w < kWords; ++w) below[w] |= rows[j][w];
      }
      rows[i] = below;
      for (Task next : tasks.after[i]) {
        const auto j = static_cast<std::size_t>(next);
        if (j < begin || j >= end) continue;
        if (!contains(below, j - begin)) kept[i].push_back(next);
        insert(rows[i], j - begin);
      }
    }
  }
  return kept;
}

}  // namespace braid
