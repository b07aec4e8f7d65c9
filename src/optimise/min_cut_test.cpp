#include "optimise/min_cut.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

struct TestArc {
  int from;
  int to;
  std::int64_t capacity;
};

std::int64_t capacity_of(const std::vector<TestArc>& arcs, unsigned side) {
  std::int64_t capacity = 0;
  for (const TestArc& arc : arcs)
    if ((side >> arc.from & 1U) != 0 && (side >> arc.to & 1U) == 0) capacity += arc.capacity;
  return capacity;
}

unsigned as_bits(const std::vector<bool>& side) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < side.size(); ++i) bits |= (side[i] ? 1U : 0U) << i;
  return bits;
}

TEST(MinimumCut, IsThatOfTryingAllSets) {
  constexpr int nodes = 7;
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 100; ++repeat) {
    CutNetwork network(nodes);
    std::vector<TestArc> arcs;
    for (int i = 0; i < 14; ++i) {
      arcs.push_back({static_cast<int>(random() % nodes), static_cast<int>(random() % nodes),
                      static_cast<std::int64_t>(random() % 5)});
      network.add_arc(arcs.back().from, arcs.back().to, arcs.back().capacity);
    }
    // Node 0 is the source, node 1 the target. The source sides of minimum cuts are closed under
    // intersection and union.
    std::int64_t least = CutNetwork::kNever;
    for (unsigned side = 1; side < 1U << nodes; side += 4)
      least = std::min(least, capacity_of(arcs, side));
    unsigned smallest = ~0U;
    unsigned largest = 0;
    for (unsigned side = 1; side < 1U << nodes; side += 4)
      if (capacity_of(arcs, side) == least) {
        smallest &= side;
        largest |= side;
      }
    const auto sides = network.minimum_cut(0, 1);
    EXPECT_EQ(sides.capacity, least);
    EXPECT_EQ(as_bits(sides.smallest), smallest);
    EXPECT_EQ(as_bits(sides.largest), largest);
  }
}

}  // namespace
}  // namespace braid
