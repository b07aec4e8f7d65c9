#include <gtest/gtest.h>

#include "device/lowering/rules.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "rewrite/canonical/number_check.h"

namespace braid {
namespace {

/// The graph after the rule, without the elements of constants; its numbers must be as they were.
std::string with_shuffles_sorted(std::string_view text) {
  const Graph graph = parse(text);
  Graph result = graph;
  Allowance allowance = allowance_of(graph);
  apply_everywhere(sort_shuffles(), result, allowance);
  verify(result);
  NumberCheck(graph).check(result, "sort-shuffles");
  return print(result, {.elements_in_full = 0});
}

std::string plain(std::string_view text) { return print(parse(text), {.elements_in_full = 0}); }

TEST(SortShuffles, MakeTheChannelsOfAPixelNeighbours) {
  EXPECT_EQ(with_shuffles_sorted(R"(
      x: f32[2,3,4,5]
      c = Conv(x, w: f32[12,3,3,3], b: f32[12]) pads=[1,1,1,1] activation="relu"
      y = DepthToSpace(c) blocksize=2 mode="CRD")"),
            plain(R"(
      x: f32[2,3,4,5]
      c_1 = Conv(x, "c/weights": f32[12,3,3,3], "c/bias": f32[12]) activation="relu" dilations=[1,1] kernel_shape=[3,3] pads=[1,1,1,1] strides=[1,1] @c
      y = DepthToSpace(c_1) blocksize=2 mode="DCR")"));
}

TEST(SortShuffles, LeaveOthersAlone) {
  for (const char* text : {R"(
      x: f32[1,3,4,5]
      c = Conv(x, w: f32[8,3,1,1])
      y = DepthToSpace(c) blocksize=2 mode="DCR")",
                           R"(
      x: f32[1,3,4,5]
      c = Conv(x, w: f32[8,3,1,1])
      y = DepthToSpace(c) blocksize=2 mode="CRD"
      return y, c)",
                           R"(
      x: f32[1,4,4,5]
      c = Conv(x, w: f32[8,2,1,1]) group=2
      y = DepthToSpace(c) blocksize=2 mode="CRD")",
                           R"(
      x: f32[1,3,4,5]
      r: f32[1,8,4,5]
      c = Conv(x, w: f32[8,3,1,1], -, r)
      y = DepthToSpace(c) blocksize=2 mode="CRD")"})
    EXPECT_EQ(with_shuffles_sorted(text), plain(text));
}

}  // namespace
}  // namespace braid
