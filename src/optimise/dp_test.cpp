#include "optimise/dp.h"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// Every assembly there is, the cheapest of each mark, in order.
std::vector<Assembly> all_assemblies(std::size_t parts,
                                     const std::vector<SegmentOptions>& segments) {
  std::vector<Assembly> all;
  const std::function<void(std::size_t, const Assembly&)> extend = [&](std::size_t from,
                                                                       const Assembly& so_far) {
    if (from == parts) all.push_back(so_far);
    for (std::size_t s = 0; s < segments.size(); ++s)
      if (segments[s].first == from)
        for (std::size_t o = 0; o < segments[s].options.size(); ++o) {
          Assembly longer = so_far;
          longer.cost += segments[s].options[o].cost;
          longer.mark += segments[s].options[o].mark;
          longer.choices.push_back({s, o});
          extend(segments[s].last + 1, longer);
        }
  };
  extend(0, {});
  const auto before = [](const Assembly& a, const Assembly& b) {
    return std::tie(a.cost, a.choices) < std::tie(b.cost, b.choices);
  };
  std::map<std::uint64_t, Assembly> cheapest;
  for (const Assembly& assembly : all) {
    const auto [entry, is_new] = cheapest.emplace(assembly.mark, assembly);
    if (!is_new && before(assembly, entry->second)) entry->second = assembly;
  }
  std::vector<Assembly> distinct;
  for (auto& [mark, assembly] : cheapest) distinct.push_back(std::move(assembly));
  std::ranges::sort(distinct, before);
  return distinct;
}

/// Whole numbers as costs: sums are exact, and ties abound.
std::vector<SegmentOptions> random_segments(std::size_t parts, std::mt19937& random,
                                            std::uint64_t marks) {
  std::vector<SegmentOptions> segments;
  for (std::size_t i = 0; i < parts; ++i)
    for (std::size_t j = i; j < parts && j < i + 3; ++j) {
      if (j > i && random() % 3 == 0) continue;
      SegmentOptions segment{i, j, {}};
      const std::size_t options = 1 + random() % 2;
      for (std::size_t o = 0; o < options; ++o)
        segment.options.push_back(
            {static_cast<double>(random() % 10) * static_cast<double>(j - i + 1),
             random() % marks});
      segments.push_back(std::move(segment));
    }
  std::ranges::shuffle(segments, random);
  return segments;
}

void expect_equal(const std::vector<Assembly>& got, const std::vector<Assembly>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].cost, expected[i].cost) << i;
    EXPECT_EQ(got[i].choices, expected[i].choices) << i;
  }
}

TEST(BestAssemblies, AreThoseOfTryingAll) {
  std::mt19937 random(1);
  for (std::size_t parts = 1; parts <= 8; ++parts)
    for (int repeat = 0; repeat < 12; ++repeat) {
      const auto segments =
          random_segments(parts, random, repeat % 2 == 0 ? 5 : std::uint64_t{1} << 40U);
      std::vector<Assembly> expected = all_assemblies(parts, segments);
      for (const std::size_t most : {std::size_t{1}, std::size_t{4}, std::size_t{16}}) {
        const auto got = best_assemblies(parts, segments, most);
        auto first = expected;
        if (first.size() > most) first.resize(most);
        expect_equal(got, first);
      }
    }
}

TEST(BestAssemblies, OfEquallyCheapOnesTheEarlierSegmentsWin) {
  const std::vector<SegmentOptions> segments = {
      {0, 1, {{4, 1}, {4, 2}}}, {0, 0, {{2, 3}}}, {1, 1, {{2, 4}}}};
  const auto best = best_assemblies(2, segments, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].choices, (std::vector<SegmentChoice>{{0, 0}}));
  EXPECT_EQ(best[1].choices, (std::vector<SegmentChoice>{{0, 1}}));
  EXPECT_EQ(best[2].choices, (std::vector<SegmentChoice>{{1, 0}, {2, 0}}));
}

TEST(BestAssemblies, CountTheSameGraphOnce) {
  const std::vector<SegmentOptions> segments = {
      {0, 0, {{2, 3}}}, {1, 1, {{2, 4}}}, {0, 1, {{3, 7}, {5, 8}}}};
  const auto best = best_assemblies(2, segments, 3);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].choices, (std::vector<SegmentChoice>{{2, 0}}));
  EXPECT_EQ(best[1].choices, (std::vector<SegmentChoice>{{2, 1}}));
}

TEST(BestAssemblies, AreNoneWhereAPartIsMissing) {
  EXPECT_TRUE(best_assemblies(2, {{0, 0, {{1, 1}}}}, 4).empty());
}

}  // namespace
}  // namespace braid
