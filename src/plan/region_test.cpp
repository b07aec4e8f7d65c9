#include "plan/region.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

std::set<std::int64_t> bytes_of(const Region& region) {
  std::set<std::int64_t> starts = {region.offset};
  for (const Region::Dim& dim : region.dims) {
    std::set<std::int64_t> next;
    for (std::int64_t start : starts)
      for (std::int64_t i = 0; i < dim.extent; ++i) next.insert(start + i * dim.stride);
    starts = std::move(next);
  }
  std::set<std::int64_t> bytes;
  for (std::int64_t start : starts)
    for (std::int64_t b = 0; b < region.element_bytes; ++b) bytes.insert(start + b);
  return bytes;
}

bool share_a_byte(const Region& a, const Region& b) {
  const auto in_b = bytes_of(b);
  for (std::int64_t byte : bytes_of(a))
    if (in_b.contains(byte)) return true;
  return false;
}

Value value(Dims dims, std::string layout = "") {
  Value v;
  v.name = "v";
  v.type = {ElementType::F32, std::move(dims)};
  v.layout = std::move(layout);
  return v;
}

TEST(Region, OfADenseValueIsOneRun) {
  const Region region = canonical(region_of(value({2, 3, 4}), {64, {}}));
  EXPECT_EQ(region, (Region{64, 96, {}}));
}

TEST(Region, FollowsTheLayout) {
  EXPECT_EQ(dense_strides(value({2, 3, 4, 5})), (Dims{240, 80, 20, 4}));
  EXPECT_EQ(dense_strides(value({2, 3, 4, 5}, "nhwc")), (Dims{240, 4, 60, 12}));
  EXPECT_EQ(dense_strides(value({2, 3, 4}, "nwc")), (Dims{48, 4, 12}));
  EXPECT_EQ(dense_strides(value({1, 2, 3, 4, 5}, "ndhwc")), (Dims{480, 4, 160, 40, 8}));
}

TEST(Region, RefusesALayoutThatItDoesNotKnow) {
  try {
    dense_strides(value({1, 16, 4, 4}, "nChw16c"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_STREQ(error.what(),
                 "value 'v' (f32[1,16,4,4]) has layout 'nChw16c', which no Plan can place");
  }
}

TEST(Region, HasAHullAndMayBeEmpty) {
  EXPECT_EQ(hull(Region{8, 4, {{3, 32}}}), (ByteRange{8, 8 + 64 + 4}));
  EXPECT_EQ(hull(Region{8, 4, {{3, 32}, {0, 4}}}), (ByteRange{8, 8}));
  EXPECT_EQ(hull(Region{8, 4, {{INT64_MAX, 32}}}), (ByteRange{8, INT64_MAX}));
  EXPECT_FALSE(overlap(canonical(Region{8, 4, {{0, 4}}}), Region{0, 64, {}}));
}

TEST(Region, ChannelSlicesOfOneTensorDoNotCollide) {
  const Region whole = region_of(value({1, 64, 56, 56}, "nhwc"), {0, {}});
  const Region left = canonical(slice(whole, 1, 0, 24));
  const Region right = canonical(slice(whole, 1, 24, 64));
  EXPECT_EQ(left, (Region{0, 96, {{56 * 56, 256}}}));
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, canonical(slice(whole, 1, 23, 64))));
  EXPECT_TRUE(overlap(left, canonical(whole)));
}

TEST(Region, RowSlicesOfACroppedTensorDoNotCollide) {
  const Region whole = region_of(value({4, 8, 8}), {0, {1024, 64, 4}});
  EXPECT_FALSE(overlap(canonical(slice(whole, 1, 0, 4)), canonical(slice(whole, 1, 4, 8))));
  EXPECT_FALSE(overlap(canonical(slice(whole, 0, 0, 1)), canonical(slice(whole, 0, 1, 4))));
}

TEST(Region, AnswersLikeSetsOfBytes) {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 engine(kSeed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
  };
  const auto random_region = [&] {
    Region region{below(64), 1 + below(6), {}};
    for (std::int64_t d = below(4); d > 0; --d) region.dims.push_back({below(5), below(40)});
    return region;
  };
  int overlapping = 0;
  for (int n = 0; n < 20'000; ++n) {
    const Region a = random_region();
    const Region b = random_region();
    const bool expected = share_a_byte(a, b);
    overlapping += expected ? 1 : 0;
    ASSERT_EQ(overlap(canonical(a), canonical(b)), expected) << "seed " << kSeed << ", case " << n;
    ASSERT_EQ(bytes_of(canonical(a)), bytes_of(a)) << "seed " << kSeed << ", case " << n;
    std::int64_t elements = a.element_bytes;
    for (const Region::Dim& dim : a.dims) elements *= dim.extent;
    const bool collides = static_cast<std::int64_t>(bytes_of(a).size()) < elements;
    // Where strides do not nest the answer may be a needless yes.
    if (collides) {
      ASSERT_TRUE(overlaps_itself(a)) << "seed " << kSeed << ", case " << n;
    }
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18'000);
}

TEST(Region, AStridedValueOverlapsItselfOnlyIfElementsMeet) {
  EXPECT_FALSE(overlaps_itself(region_of(value({2, 3}), {0, {64, 4}})));
  EXPECT_FALSE(overlaps_itself(region_of(value({1, 3}), {0, {0, 4}})));
  EXPECT_TRUE(overlaps_itself(region_of(value({2, 3}), {0, {8, 4}})));
  EXPECT_TRUE(overlaps_itself(region_of(value({2, 3}), {0, {0, 4}})));
}

}  // namespace
}  // namespace braid
