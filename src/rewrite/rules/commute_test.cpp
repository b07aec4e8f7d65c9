#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

TEST(ActivateBeforeConcat, TakesTheActivationOffTheWhole) {
  EXPECT_EQ(rewritten_by("activate-before-concat", R"(
      a: f32[1,2,3,3]
      b: f32[1,3,3,3]
      c = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(c, b) axis=1
      y = Relu(j)
      return j, y)"),
            std::vector<std::string>{print(parse(R"(
      a: f32[1,2,3,3]
      b: f32[1,3,3,3]
      c = MaxPool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(c, b) axis=1
      "c/Relu" = Relu(c) @"c/Relu"
      "b/Relu" = Relu(b) @"b/Relu"
      y = Concat("c/Relu", "b/Relu") axis=1 @j
      return j, y)"))});
}

}  // namespace
}  // namespace braid
