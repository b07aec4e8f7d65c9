#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "plan/region.h"

namespace braid {

/// What is known of each byte: a map from ranges of bytes, split where two uses need it, to a Use.
/// Bytes that were never named have none.
template <class Use>
class ByteMap {
 public:
  /// Calls visit(Use&) for every range inside `bytes`; bytes that have no Use get an empty one.
  template <class Visit>
  void for_each(ByteRange bytes, Visit visit) {
    if (bytes.size() <= 0) return;
    split(bytes.begin);
    split(bytes.end);
    std::int64_t at = bytes.begin;
    auto cell = cells_.lower_bound(at);
    while (at < bytes.end) {
      if (cell == cells_.end() || cell->first > at) {
        const std::int64_t end =
            cell == cells_.end() ? bytes.end : std::min(cell->first, bytes.end);
        cell = cells_.emplace_hint(cell, at, Cell{end, {}});
      }
      visit(cell->second.use);
      at = cell->second.end;
      ++cell;
    }
  }

  /// The same without the bytes that have no Use.
  template <class Visit>
  void for_each_known(ByteRange bytes, Visit visit) {
    if (bytes.size() <= 0) return;
    split(bytes.begin);
    split(bytes.end);
    const auto last = cells_.lower_bound(bytes.end);
    for (auto cell = cells_.lower_bound(bytes.begin); cell != last; ++cell) visit(cell->second.use);
  }

  /// Gives all of `bytes` one Use in place of what they had.
  void assign(ByteRange bytes, Use use) {
    if (bytes.size() <= 0) return;
    split(bytes.begin);
    split(bytes.end);
    cells_.erase(cells_.lower_bound(bytes.begin), cells_.lower_bound(bytes.end));
    cells_[bytes.begin] = {bytes.end, std::move(use)};
  }

 private:
  struct Cell {
    std::int64_t end = 0;
    Use use = {};
  };

  /// Makes a cell begin at `at` if one spans it.
  void split(std::int64_t at) {
    auto cell = cells_.lower_bound(at);
    if (cell == cells_.begin()) return;
    --cell;
    if (cell->second.end <= at) return;
    cells_[at] = cell->second;
    cell->second.end = at;
  }

  std::map<std::int64_t, Cell> cells_;
};

}  // namespace braid
