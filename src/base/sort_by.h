#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace braid {

/// Sorts by what `key` says of each item, the least first; equal ones stay in their order.
template <class T, class Key>
void sort_by(std::vector<T>& items, Key key) {
  using Value = decltype(key(std::as_const(items[0])));
  std::vector<std::pair<Value, std::size_t>> order;
  for (std::size_t i = 0; i < items.size(); ++i)
    order.emplace_back(key(std::as_const(items[i])), i);
  std::ranges::sort(order);
  std::vector<T> sorted;
  for (const auto& [value, i] : order) sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

}  // namespace braid
