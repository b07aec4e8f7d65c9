#include "graph/layout.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Layout, OrdersHaveNames) {
  EXPECT_EQ(layout_name({}), "");
  EXPECT_EQ(layout_name({0, 1, 2}), "");
  EXPECT_EQ(layout_name({0, 2, 3, 1}), "nhwc");
  EXPECT_EQ(layout_name({0, 2, 1, 3}), "acbd");
}

TEST(Layout, NamesGiveTheirOrders) {
  for (const AxisOrder& order : {AxisOrder{}, AxisOrder{0, 2, 3, 1}, AxisOrder{3, 1, 0, 2}})
    EXPECT_EQ(order_named(layout_name(order), 4), order);
  EXPECT_EQ(order_named("nwc", 3), channels_last_order(3));
}

TEST(Layout, OtherNamesGiveNone) {
  for (const char* layout : {"nchw", "nhw", "aab", "abcde", "acb", "nChw16c", "ABCD"})
    EXPECT_EQ(order_named(layout, 4), std::nullopt) << layout;
}

TEST(Layout, StridesFollowTheOrder) {
  EXPECT_EQ(strides_in({2, 3, 4, 5}, {}), (Dims{60, 20, 5, 1}));
  EXPECT_EQ(strides_in({2, 3, 4, 5}, {0, 2, 3, 1}), (Dims{60, 1, 15, 3}));
}

TEST(Layout, AxesOfOneElementDoNotCount) {
  EXPECT_TRUE(same_places({1, 8, 1, 1}, {}, {0, 2, 3, 1}));
  EXPECT_FALSE(same_places({1, 8, 2, 1}, {}, {0, 2, 3, 1}));
}

TEST(Layout, NoElementsAreInTheSamePlacesInAnyOrder) {
  EXPECT_TRUE(same_places({3, 0, 2}, {}, {2, 1, 0}));
}

TEST(Layout, AnOrderIsReadFromStrides) {
  EXPECT_EQ(order_of_strides({2, 3, 4, 5}, {60, 20, 5, 1}), AxisOrder{});
  EXPECT_EQ(order_of_strides({2, 3, 4, 5}, {60, 1, 15, 3}), (AxisOrder{0, 2, 3, 1}));
  EXPECT_EQ(order_of_strides({1, 3, 4, 5}, {7, 1, 15, 3}), (AxisOrder{0, 2, 3, 1}));
  EXPECT_EQ(order_of_strides({1, 1, 4, 1}, {7, 9, 1, 3}), AxisOrder{});
  EXPECT_EQ(order_of_strides({2, 3}, {4, 1}), std::nullopt) << "with a gap";
}

}  // namespace
}  // namespace braid
