#include "ops/shared/strided.h"

#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"

namespace braid {
namespace {

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    return error.message();
  }
  return "no error";
}

/// Every offset that each_row visits, in order.
std::vector<std::int64_t> walk(const Dims& dims, const Dims& strides) {
  std::vector<std::int64_t> visited;
  each_row(dims, {strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             for (std::int64_t i = 0; i < count; ++i) visited.push_back(offsets[0] + i * steps[0]);
           });
  return visited;
}

TEST(Strided, AScalarIsOneElement) { EXPECT_EQ(walk({}, {}), std::vector<std::int64_t>({0})); }

TEST(Strided, NothingIsVisitedInAnEmptyTensor) {
  EXPECT_TRUE(walk({3, 0, 2}, {2, 2, 1}).empty());
  EXPECT_TRUE(walk({0}, {1}).empty());
}

TEST(Strided, DenseAxesJoinIntoOneRow) {
  int rows = 0;
  each_row({2, 1, 3, 4}, {{12, 12, 4, 1}, {12, 0, 4, 1}},
           [&](const auto&, const auto&, std::int64_t count) {
             ++rows;
             EXPECT_EQ(count, 24);
           });
  EXPECT_EQ(rows, 1);
}

RC_GTEST_PROP(Strided, VisitsWhatIndexArithmeticSays, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  const auto dims = *rc::gen::container<Dims>(rank, rc::gen::inRange<std::int64_t>(1, 4));
  const auto strides = *rc::gen::container<Dims>(rank, rc::gen::inRange<std::int64_t>(-3, 4));
  std::vector<std::int64_t> expected;
  const std::int64_t count = element_count(dims);
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    std::int64_t offset = 0;
    for (std::size_t i = rank; i-- > 0;) {
      offset += rest % dims[i] * strides[i];
      rest /= dims[i];
    }
    expected.push_back(offset);
  }
  RC_ASSERT(walk(dims, strides) == expected);
}

TEST(Broadcast, FollowsNumPy) {
  EXPECT_EQ(broadcast("Add", {2, 3}, {3}), Dims({2, 3}));
  EXPECT_EQ(broadcast("Add", {2, 1, 4}, {3, 1}), Dims({2, 3, 4}));
  EXPECT_EQ(broadcast("Add", {}, {5}), Dims({5}));
  EXPECT_EQ(broadcast("Add", {}, {}), Dims({}));
  EXPECT_EQ(broadcast("Add", {1}, {0}), Dims({0}));
  EXPECT_EQ(broadcast("Add", {2, 0}, {2, 1}), Dims({2, 0}));
}

TEST(Broadcast, ShowsBothShapesThatDoNotMeet) {
  EXPECT_EQ(message_of([] { broadcast("Add", {2, 3}, {2}); }),
            "shapes [2,3] and [2] of Add do not broadcast");
  EXPECT_EQ(message_of([] { broadcast("Add", {0}, {2}); }),
            "shapes [0] and [2] of Add do not broadcast");
}

TEST(Broadcast, StridesAreZeroAlongRepeatedAxes) {
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 4}), Dims({0, 1, 0}));
  EXPECT_EQ(broadcast_strides({2, 3, 4}, {2, 3, 4}), Dims({12, 4, 1}));
  EXPECT_EQ(broadcast_strides({}, {2, 2}), Dims({0, 0}));
}

TEST(Axes, CountFromTheFront) {
  EXPECT_EQ(normal_axis("Softmax", -1, 3), 2);
  EXPECT_EQ(normal_axis("Softmax", 0, 3), 0);
  EXPECT_EQ(normal_axes("Squeeze", {-1, 0}, 3), std::vector<std::int64_t>({2, 0}));
}

TEST(Axes, OutsideTheRankAreRefused) {
  EXPECT_EQ(message_of([] { normal_axis("Softmax", 3, 3); }),
            "axis 3 of Softmax is outside a tensor of rank 3");
  EXPECT_EQ(message_of([] { normal_axis("Softmax", INT64_MIN, 3); }),
            "axis -9223372036854775808 of Softmax is outside a tensor of rank 3");
  EXPECT_EQ(message_of([] { normal_axis("Softmax", 0, 0); }),
            "axis 0 of Softmax is outside a tensor of rank 0");
  EXPECT_EQ(message_of([] { normal_axes("Squeeze", {2, -1}, 3); }),
            "axis 2 of Squeeze is named twice");
}

TEST(Axes, ViewSplitsAShape) {
  const AxisView view = view_along({2, 3, 4, 5}, 1);
  EXPECT_EQ(view.outer, 2);
  EXPECT_EQ(view.length, 3);
  EXPECT_EQ(view.inner, 20);
}

}  // namespace
}  // namespace braid
