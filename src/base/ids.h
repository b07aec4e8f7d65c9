#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace braid {

/// An index that cannot be mistaken for an index of another kind. Default: none.
template <class Tag>
struct Id {
  std::int32_t index = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::int64_t i) : index(static_cast<std::int32_t>(i)) {}

  constexpr bool valid() const { return index >= 0; }
  constexpr std::size_t at() const { return static_cast<std::size_t>(index); }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace braid

template <class Tag>
struct std::hash<braid::Id<Tag>> {
  std::size_t operator()(braid::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>()(id.index);
  }
};
