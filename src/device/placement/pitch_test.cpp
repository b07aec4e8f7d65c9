#include "device/placement/pitch.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

Value value(Dims dims, std::string layout) {
  Value result;
  result.name = "v";
  result.type = {ElementType::F32, std::move(dims)};
  result.layout = std::move(layout);
  return result;
}

TEST(Pitch, IsTheDistanceOfRows) {
  EXPECT_EQ(pitch_of(value({1, 4, 2, 3}, "nhwc"), {0, {}}), 0);
  EXPECT_EQ(pitch_of(value({1, 4, 2, 3}, "nhwc"), {0, {240, 4, 120, 40}}), 10);
  EXPECT_EQ(pitch_of(value({2, 4, 2, 3}, "nhwc"), {0, {240, 4, 120, 40}}), 10);
  EXPECT_EQ(pitch_of(value({5, 4}, ""), {64, {28, 4}}), 7);
}

TEST(Pitch, OfRowsThatFollowOneAnotherIsZero) {
  EXPECT_EQ(pitch_of(value({5, 4}, ""), {0, {16, 4}}), 0);
  EXPECT_EQ(pitch_of(value({1, 4, 1, 1}, "nhwc"), {0, {400, 4, 40, 40}}), 0) << "a single row";
}

TEST(Pitch, OfARowOfOneElement) { EXPECT_EQ(pitch_of(value({5, 1}, ""), {0, {12, 4}}), 3); }

TEST(Pitch, RefusesWhatElseLiesApart) {
  for (const std::vector<std::int64_t>& strides : {std::vector<std::int64_t>{480, 4, 240, 40},
                                                   {240, 8, 120, 40},
                                                   {240, 4, 160, 40},
                                                   {240, 4, 12, 4},
                                                   {24, 4, 12, 4}})
    EXPECT_THROW(pitch_of(value({2, 4, 2, 3}, "nhwc"), {0, strides}), Error) << strides[1];
}

}  // namespace
}  // namespace braid
