#include "graph/layout.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 6> kChannelsLast = {"", "", "", "nwc", "nhwc", "ndhwc"};

AxisOrder row_major_order(std::size_t rank) {
  AxisOrder order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

AxisOrder channels_last_order(std::size_t rank) {
  require(rank >= 2, "channels are the second axis");
  AxisOrder order = row_major_order(rank);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return normal_order(std::move(order));
}

AxisOrder whole_order(const AxisOrder& order, std::size_t rank) {
  return order.empty() ? row_major_order(rank) : order;
}

AxisOrder normal_order(AxisOrder order) {
  if (order == row_major_order(order.size())) order.clear();
  return order;
}

std::string layout_name(const AxisOrder& order) {
  if (normal_order(order).empty()) return "";
  if (order.size() < kChannelsLast.size() && !kChannelsLast[order.size()].empty() &&
      order == channels_last_order(order.size()))
    return std::string(kChannelsLast[order.size()]);
  std::string letters;
  for (const std::size_t axis : order) letters += static_cast<char>('a' + axis);
  return letters;
}

std::optional<AxisOrder> order_named(const std::string& layout, std::size_t rank) {
  if (layout.empty()) return AxisOrder{};
  if (rank < kChannelsLast.size() && layout == kChannelsLast[rank])
    return channels_last_order(rank);
  AxisOrder order;
  std::vector<bool> seen(rank);
  for (const char letter : layout) {
    const auto axis = static_cast<std::size_t>(letter - 'a');
    if (letter < 'a' || axis >= rank || seen[axis]) return std::nullopt;
    seen[axis] = true;
    order.push_back(axis);
  }
  if (order.size() != rank) return std::nullopt;
  return normal_order(std::move(order));
}

Dims strides_in(const Dims& dims, const AxisOrder& order) {
  const AxisOrder axes = whole_order(order, dims.size());
  Dims strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    strides[axes[i]] = step;
    step *= std::max<std::int64_t>(dims[axes[i]], 1);
  }
  return strides;
}

bool same_places(const Dims& dims, const AxisOrder& a, const AxisOrder& b) {
  if (a == b || std::ranges::count(dims, 0) > 0) return true;
  const Dims first = strides_in(dims, a);
  const Dims second = strides_in(dims, b);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] > 1 && first[i] != second[i]) return false;
  return true;
}

Dims permuted(const Dims& dims, const AxisOrder& order) {
  if (order.empty()) return dims;
  Dims result;
  for (const std::size_t axis : order) result.push_back(dims[axis]);
  return result;
}

std::optional<AxisOrder> order_of_strides(const Dims& dims, const Dims& strides) {
  AxisOrder order;
  AxisOrder longer;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    (dims[axis] > 1 ? longer : order).push_back(axis);
  const bool ascending = std::is_sorted(longer.begin(), longer.end(),
                                        [&](auto a, auto b) { return strides[a] > strides[b]; });
  std::sort(longer.begin(), longer.end(),
            [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  std::int64_t step = 1;
  for (std::size_t i = longer.size(); i-- > 0;) {
    if (strides[longer[i]] != step) return std::nullopt;
    step *= dims[longer[i]];
  }
  if (ascending) return AxisOrder{};
  order.insert(order.end(), longer.begin(), longer.end());
  return order;
}

}  // namespace braid
