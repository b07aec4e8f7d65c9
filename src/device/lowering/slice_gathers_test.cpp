#include <gtest/gtest.h>

#include "device/lowering/rules.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"

namespace braid {
namespace {

std::string with_gathers_sliced(std::string_view text) {
  Graph graph = parse(text);
  Allowance allowance = allowance_of(graph);
  apply_everywhere(slice_gathers(), graph, allowance);
  verify(graph);
  return print(graph);
}

TEST(SliceGathers, OfOneConstantIndex) {
  EXPECT_EQ(with_gathers_sliced(R"(
      x: f32[3,4,5]
      y = Gather(x, last: i64[] = {-1}) axis=1)"),
            R"(x: f32[3,4,5]
Slice = Slice(x, begin: i64[1] = {3}, end: i64[1] = {4}, axis: i64[1] = {1})
y = Reshape(Slice, dims: i64[2] = {3,5}) allowzero=1
)");
}

TEST(SliceGathers, KeepAnIndexThatIsAVector) {
  EXPECT_EQ(with_gathers_sliced(R"(
      x: i64[7]
      y = Gather(x, index: i32[1,1] = {2}))"),
            R"(x: i64[7]
Slice = Slice(x, begin: i64[1] = {2}, end: i64[1] = {3}, axis: i64[1] = {0})
y = Reshape(Slice, dims: i64[2] = {1,1}) allowzero=1
)");
}

TEST(SliceGathers, LeaveOthersAlone) {
  for (const char* text : {R"(
      x: f32[3,4]
      i: i64[]
      y = Gather(x, i))",
                           R"(
      x: f32[3,4]
      y = Gather(x, beyond: i64[] = {9223372036854775807}))",
                           R"(
      x: f32[3,4]
      y = Gather(x, twice: i64[2] = {1,1}))"})
    EXPECT_EQ(with_gathers_sliced(text), print(parse(text)));
}

}  // namespace
}  // namespace braid
