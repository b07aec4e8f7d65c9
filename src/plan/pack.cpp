#include "plan/pack.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "plan/plan.h"

// Two ways of best fit, both greedy; which is smaller depends on the Plan:
//
//     in the order of steps             by size, the largest first
//     bytes                             bytes
//       |  ccc                            |  ddddd
//       |aaaa ddddd                       |aaaa  ccc
//       |bbbbbbb eee                      |bbbbbbb eee
//       +------------ time                +------------ time
//
// The first looks at one list of free bytes and is fast. The second (TFLite calls it greedy by
// size; Pisarchyk and Lee 2020) asks of every item which placed items are in use at the same time.

namespace braid {
namespace {

/// Above this many pairs of items in use at once, only the first way is tried.
constexpr std::int64_t kMostPairs = std::int64_t{1} << 23;

using Index = std::uint32_t;

/// An item's bytes, aligned, and its time as positions in HappensBefore::order(): every step from
/// position `end` on comes after it.
struct Span {
  std::int64_t bytes = 0;
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

std::vector<Span> spans(const HappensBefore& order, const std::vector<PackItem>& items) {
  std::vector<Span> result;
  result.reserve(items.size());
  for (const PackItem& item : items) {
    Span span;
    span.bytes = checked_mul(ceil_div(item.bytes, kArenaAlignment), kArenaAlignment);
    span.begin = std::numeric_limits<std::int32_t>::max();
    for (StepRef step : item.first) span.begin = std::min(span.begin, order.position(step));
    span.end = order.settled(item.last);
    result.push_back(span);
  }
  return result;
}

/// The items by the time when they begin.
std::vector<Index> by_begin(const std::vector<Span>& spans) {
  std::vector<Index> indices(spans.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<Index>(i);
  std::sort(indices.begin(), indices.end(), [&](Index a, Index b) {
    return std::pair(spans[a].begin, a) < std::pair(spans[b].begin, b);
  });
  return indices;
}

/// Free bytes below a growing top.
class FreeList {
 public:
  std::int64_t allocate(std::int64_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit != by_size_.end()) {
      const auto [size, offset] = *fit;
      erase(offset, size);
      if (size > bytes) insert(offset + bytes, size - bytes);
      return offset;
    }
    std::int64_t offset = top_;
    if (!by_offset_.empty()) {
      const auto [last, size] = *by_offset_.rbegin();
      if (last + size == top_) {
        erase(last, size);
        offset = last;
      }
    }
    top_ = checked_add(offset, bytes);
    return offset;
  }

  void release(std::int64_t offset, std::int64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      erase(next->first, next->second);
    }
    next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == offset) {
        erase(before, size);
        offset = before;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  std::int64_t top() const { return top_; }

 private:
  void insert(std::int64_t offset, std::int64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void erase(std::int64_t offset, std::int64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
  }

  std::map<std::int64_t, std::int64_t> by_offset_;
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;
  std::int64_t top_ = 0;
};

/// Packs by best fit, in the order in which items begin.
Packing pack_by_time(const std::vector<Span>& spans, const std::vector<Index>& begin_order) {
  using Ending = std::pair<std::int32_t, Index>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  FreeList free;
  Packing packing{std::vector<std::int64_t>(spans.size(), 0), 0};
  for (Index item : begin_order) {
    if (spans[item].bytes == 0) continue;
    while (!endings.empty() && endings.top().first <= spans[item].begin) {
      const Index ended = endings.top().second;
      endings.pop();
      free.release(packing.offsets[ended], spans[ended].bytes);
    }
    packing.offsets[item] = free.allocate(spans[item].bytes);
    endings.emplace(spans[item].end, item);
  }
  packing.bytes = free.top();
  return packing;
}

/// For each item, the items that must not share its bytes. Empty if there are too many pairs.
class Conflicts {
 public:
  Conflicts(const HappensBefore& order, const std::vector<PackItem>& items,
            const std::vector<Span>& spans, const std::vector<Index>& begin_order)
      : of_(items.size()) {
    std::vector<std::int32_t> begins;
    for (Index item : begin_order) begins.push_back(spans[item].begin);
    const auto last_candidate = [&](std::size_t i) {
      const auto end = std::lower_bound(begins.begin() + static_cast<std::ptrdiff_t>(i),
                                        begins.end(), spans[begin_order[i]].end);
      return static_cast<std::size_t>(end - begins.begin());
    };
    std::int64_t pairs = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
      pairs += std::max<std::int64_t>(
          0, static_cast<std::int64_t>(last_candidate(i)) - static_cast<std::int64_t>(i) - 1);
    few_ = pairs <= kMostPairs;
    for (std::size_t i = 0; few_ && i < items.size(); ++i) {
      const std::size_t end = last_candidate(i);
      for (std::size_t k = i + 1; k < end; ++k) add(order, items, begin_order[i], begin_order[k]);
    }
  }

  bool few() const { return few_; }
  const std::vector<Index>& of(Index item) const { return of_[item]; }

 private:
  /// Adds the pair if it conflicts. `b` does not begin before `a`, so it is enough to ask whether
  /// `a` ends before `b`.
  void add(const HappensBefore& order, const std::vector<PackItem>& items, Index a, Index b) {
    const auto& first = items[b].first;
    if (std::all_of(first.begin(), first.end(),
                    [&](StepRef step) { return order.before(items[a].last, step); }))
      return;
    of_[a].push_back(b);
    of_[b].push_back(a);
  }

  std::vector<std::vector<Index>> of_;
  bool few_ = true;
};

/// The smallest gap between the taken ranges, which are sorted, that holds `bytes`; else the end.
std::int64_t best_gap(const std::vector<std::pair<std::int64_t, std::int64_t>>& taken,
                      std::int64_t bytes) {
  std::int64_t best = -1;
  std::int64_t best_size = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (const auto& [from, to] : taken) {
    if (from - end >= bytes && from - end < best_size) {
      best = end;
      best_size = from - end;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

/// Packs the largest first, each into the smallest gap that its conflicts leave.
Packing pack_by_size(const std::vector<Span>& spans, const std::vector<Index>& begin_order,
                     const Conflicts& conflicts) {
  std::vector<Index> size_order = begin_order;
  std::sort(size_order.begin(), size_order.end(), [&](Index a, Index b) {
    return std::tuple(-spans[a].bytes, spans[a].begin, a) <
           std::tuple(-spans[b].bytes, spans[b].begin, b);
  });
  Packing packing{std::vector<std::int64_t>(spans.size(), -1), 0};
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (Index item : size_order) {
    taken.clear();
    for (Index other : conflicts.of(item))
      if (packing.offsets[other] >= 0 && spans[other].bytes > 0)
        taken.emplace_back(packing.offsets[other], packing.offsets[other] + spans[other].bytes);
    std::sort(taken.begin(), taken.end());
    packing.offsets[item] = spans[item].bytes == 0 ? 0 : best_gap(taken, spans[item].bytes);
    packing.bytes = std::max(packing.bytes, checked_add(packing.offsets[item], spans[item].bytes));
  }
  return packing;
}

}  // namespace

Packing pack(const HappensBefore& order, const std::vector<PackItem>& items) {
  const std::vector<Span> times = spans(order, items);
  const std::vector<Index> begin_order = by_begin(times);
  Packing by_time = pack_by_time(times, begin_order);
  const Conflicts conflicts(order, items, times, begin_order);
  if (!conflicts.few()) return by_time;
  Packing by_size = pack_by_size(times, begin_order, conflicts);
  return by_size.bytes <= by_time.bytes ? by_size : by_time;
}

}  // namespace braid
