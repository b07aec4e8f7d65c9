#include "base/bit_set.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace braid {
namespace {

RC_GTEST_PROP(BitSet, BehavesLikeASet, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 200);
  const auto numbers =
      rc::gen::container<std::set<std::size_t>>(rc::gen::inRange<std::size_t>(0, size));
  const auto a = *numbers;
  const auto b = *numbers;
  const auto from = [&](const std::set<std::size_t>& set) {
    BitSet bits(size);
    for (std::size_t i : set) bits.insert(i);
    return bits;
  };
  BitSet both = from(a);
  both |= from(b);
  bool meet = false;
  for (std::size_t i = 0; i < size; ++i) {
    RC_ASSERT(both.contains(i) == (a.contains(i) || b.contains(i)));
    meet = meet || (a.contains(i) && b.contains(i));
  }
  RC_ASSERT(from(a).intersects(from(b)) == meet);
  RC_ASSERT(from(a).count() == a.size());
  RC_ASSERT((from(a) == from(b)) == (a == b));
  for (std::size_t i : b) both.erase(i);
  for (std::size_t i = 0; i < size; ++i)
    RC_ASSERT(both.contains(i) == (a.contains(i) && !b.contains(i)));
}

}  // namespace
}  // namespace braid
