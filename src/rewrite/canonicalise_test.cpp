#include "rewrite/canonicalise.h"

#include <algorithm>

#include "base/error.h"
#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

TEST(Canonicalise, RefusesToDisableAStepThatDoesNotExist) {
  try {
    canonicalise(parse("x: f32[2]\ny = Relu(x)"), {.disabled = {"fold-everything"}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_EQ(error.message().find("there is no step 'fold-everything'; the steps are: remove-dead "
                                   "fold-constants"),
              0U)
        << error.message();
  }
}

TEST(Canonicalise, AStepMayBeDisabledTwiceIfItExists) {
  const Graph graph = parse("x: f32[2]\ny = Relu(x)");
  EXPECT_NO_THROW(canonicalise(graph, {.disabled = {"fold-pads", "fold-pads"}}));
  EXPECT_THROW(canonicalise(graph, {.disabled = {"fold-all", "fold-all"}}), Error);
}

TEST(Canonicalise, ReportsEveryStepOnceAndThoseThatFoundMore) {
  const Canonicalised result = canonicalise(parse(R"(
    x: f32[2]
    unused = Abs(x)
    a = Identity(x)
    b = Relu(a)
    y = Relu(b)
    return y
  )"));
  ASSERT_GE(result.steps.size(), canonicalise_steps().size());
  for (std::size_t i = 0; i < canonicalise_steps().size(); ++i)
    EXPECT_EQ(result.steps[i].name, canonicalise_steps()[i].name);
  EXPECT_EQ(result.steps[0].changes, 1);
  EXPECT_EQ(result.steps[0].nodes_before, 4U);
  EXPECT_EQ(result.steps[0].nodes_after, 3U);
  EXPECT_EQ(result.graph.node_count(), 2U);
}

TEST(Canonicalise, AsksNoLstmForStatesThatNothingReads) {
  EXPECT_REWRITTEN("remove-dead", R"(
    x: f32[5,2,3]
    w: f32[1,16,3]
    r: f32[1,16,4]
    y, h, c = LSTM(x, w, r)
    return y)",
                   R"(
    x: f32[5,2,3]
    w: f32[1,16,3]
    r: f32[1,16,4]
    y = LSTM(x, w, r)
    return y)");
  EXPECT_UNCHANGED("remove-dead", R"(
    x: f32[5,2,3]
    w: f32[1,16,3]
    r: f32[1,16,4]
    y, h, c = LSTM(x, w, r)
    return y, c)");
}

TEST(Canonicalise, StepsThatAreDisabledDoNotRun) {
  const Graph graph = parse("x: f32[2]\na = Identity(x)\ny = Relu(a)");
  const Canonicalised result = canonicalise(graph, {.disabled = {"remove-identities"}});
  EXPECT_EQ(result.graph.node_count(), 2U);
  EXPECT_TRUE(std::none_of(result.steps.begin(), result.steps.end(),
                           [](const auto& step) { return step.name == "remove-identities"; }));
}

// PyTorch exports this without optimising: weights behind a cast to another value's type and an
// Expand, which take two rounds to fold. The activation must not be fused before the norm is
// folded.
TEST(Canonicalise, FoldsANormWhoseWeightsAreNotYetConstants) {
  const Canonicalised result = canonicalise(parse(R"(
    x: f32[1,3,8,8]
    raw = CastLike(w: f32[1,3,1,1] = {1,2,3}, x)
    weight = Expand(raw, shape: i64[4] = {4,3,1,1})
    c = Conv(x, weight) kernel_shape=[1,1]
    n = BatchNormalization(c, g: f32[4] = {1,2,3,4}, b: f32[4] = {0,1,0,1}, m: f32[4] = {1,1,2,2}, v: f32[4] = {1,2,1,2})
    y = Relu(n)
  )"),
                                            {.verify_numbers = true});
  ASSERT_EQ(result.graph.node_count(), 1U) << print(result.graph);
  const Node& conv = result.graph.node(result.graph.nodes_in_order()[0]);
  EXPECT_EQ(conv.op, "Conv");
  EXPECT_EQ(conv.attributes.text("activation", ""), "relu");
}

TEST(Canonicalise, ChangesNothingTheSecondTime) {
  const Graph once = canonicalise(parse(R"(
    x: f32[2,3]
    c = Cast(seven: i64[2] = {7,7}) to=1
    a = Add(x, one: f32[1] = {1})
    b = Add(x, two: f32[1] = {1})
    y = Mul(a, b)
    return y, c
  )"))
                         .graph;
  EXPECT_EQ(print(canonicalise(once).graph), print(once));
}

TEST(Canonicalise, CanBeCancelled) {
  const Progress stop = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  try {
    canonicalise(parse("x: f32[2]\ny = Relu(x)"), {.progress = stop});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
}

TEST(NumberCheck, FindsAChangedOutput) {
  const NumberCheck check(parse("x: f32[4]\ny = Relu(x)"));
  EXPECT_NO_THROW(check.check(parse("x: f32[4]\ny = Clip(x, zero: f32[] = {0})"), "step"));
  EXPECT_THROW(check.check(parse("x: f32[4]\ny = Abs(x)"), "step"), Error);
}

}  // namespace
}  // namespace braid
