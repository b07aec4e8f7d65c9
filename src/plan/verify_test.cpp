#include "plan/verify.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"
#include "plan/testing/steps.h"

namespace braid {
namespace {

/// Two branches on two streams; `b` needs scratch, `d` is cut.
class VerifyPlan : public testing::Test {
 protected:
  VerifyPlan() {
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.streams = {{step(graph, "a"), step(graph, "b"), part(0), step(graph, "y", {at(1, 1)})},
                    {step(graph, "c"), part(1)}};
    plan.streams[0][2].waits = {at(1, 0)};
    place(graph, plan);
  }

  static StepRef at(std::int64_t stream, std::int32_t index) { return {StreamId(stream), index}; }
  Step part(std::int32_t number) const {
    Step part = step(graph, "d");
    part.part = number;
    part.parts = 2;
    part.cut = {0, 8};
    return part;
  }
  std::int64_t& offset(std::string_view value) {
    return plan.placements[graph.find(value).at()].offset;
  }
  std::vector<std::int64_t>& strides(std::string_view value) {
    return plan.placements[graph.find(value).at()].strides;
  }
  std::string refusal() const {
    try {
      verify(graph, plan);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Model) << error.what();
      return error.what();
    }
    return "accepted";
  }

  Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x)
      b: f32[16] = Relu(a) <k scratch=64>
      c: f32[16] = Relu(x)
      d: f32[16] = Relu(c) <k cut=0/4>
      y: f32[16] = Add(b, d))",
                            {});
  Plan plan;
};

TEST_F(VerifyPlan, AcceptsARightPlan) { EXPECT_EQ(refusal(), "accepted"); }

TEST_F(VerifyPlan, RefusesAPlanOfAnotherGraph) {
  plan.graph.low ^= 1;
  EXPECT_EQ(refusal(), "the Plan belongs to another graph: its hash is " + to_string(plan.graph) +
                           ", this graph's is " + to_string(hash(graph, HashWeights::TypesOnly)) +
                           ". The model, --disable, --isa, --threads or the version of Braid is "
                           "another; plan again");
}

TEST_F(VerifyPlan, NamesTheMissingWaitOfAReader) {
  plan.streams[0][2].waits.clear();
  EXPECT_EQ(refusal(),
            "part 0 of 2 of 'd' (Relu) at streams[0][2] reads value 'c' but does not come after "
            "'c' (Relu) at streams[1][0], which writes it: it must wait for streams[1][0]");
}

TEST_F(VerifyPlan, AReaderWaitsForAllParts) {
  plan.streams[0][3].waits.clear();
  EXPECT_EQ(refusal(),
            "'y' (Add) at streams[0][3] reads value 'd' but does not come after part 1 of 2 of 'd' "
            "(Relu) at streams[1][1], which writes it: it must wait for streams[1][1]");
}

TEST_F(VerifyPlan, NamesTheUserOfBytesThatAreOverwritten) {
  offset("c") = offset("a");
  EXPECT_EQ(refusal(), "'c' (Relu) at streams[1][0] writes value 'c' to bytes [" +
                           std::to_string(offset("a")) + ", " + std::to_string(offset("a") + 64) +
                           ") of the arena, where 'b' (Relu) at streams[0][1] may still use value "
                           "'a': it must wait for streams[0][1], or one of them be placed "
                           "elsewhere");
}

TEST_F(VerifyPlan, RefusesToWriteOverAnInput) {
  offset("b") = offset("a");
  EXPECT_EQ(refusal(), "'b' (Relu) at streams[0][1] writes value 'b' to bytes [" +
                           std::to_string(offset("a")) + ", " + std::to_string(offset("a") + 64) +
                           ") of the arena, where it still uses value 'a': place one of them "
                           "elsewhere");
}

TEST_F(VerifyPlan, RefusesScratchInUsedBytes) {
  plan.streams[0][1].scratch_offset = offset("a");
  EXPECT_EQ(refusal(), "'b' (Relu) at streams[0][1] writes scratch to bytes [" +
                           std::to_string(offset("a")) + ", " + std::to_string(offset("a") + 64) +
                           ") of the arena, where it still uses value 'a': place one of them "
                           "elsewhere");
}

TEST_F(VerifyPlan, RefusesStepsThatAreMissingOrTooMany) {
  const Plan right = plan;
  plan.streams[0].pop_back();
  EXPECT_EQ(refusal(), "no stream has a step for 'y' (Add)");
  plan = right;
  plan.streams[1].push_back(step(graph, "a"));
  EXPECT_EQ(refusal(), "'a' (Relu) at streams[0][0] stands a second time at streams[1][2]");
  plan = right;
  plan.streams[1].push_back(part(1));
  EXPECT_EQ(refusal(),
            "part 1 of 2 of 'd' (Relu) at streams[1][1] stands a second time at streams[1][2]");
}

TEST_F(VerifyPlan, RefusesWrongParts) {
  const Plan right = plan;
  plan.streams[0][3].waits.clear();
  plan.streams[1].pop_back();
  EXPECT_EQ(refusal(), "no stream has part 1 of 2 of 'd' (Relu)");
  plan = right;
  plan.streams[1][1].part = 2;
  EXPECT_EQ(refusal(), "'d' (Relu) at streams[1][1] is part 2 of 2");
  plan = right;
  plan.streams[1][1].parts = 3;
  EXPECT_EQ(refusal(),
            "part 0 of 2 of 'd' (Relu) at streams[0][2] and part 1 of 3 of 'd' (Relu) "
            "at streams[1][1] cut one node in two ways");
  plan = right;
  plan.streams[0][2].cut = plan.streams[1][1].cut = {0, 6};
  EXPECT_EQ(refusal(),
            "'d' (Relu) is cut along axis 0 in grains of 6, which its lowering does "
            "not allow");
  plan.streams[0][2].cut = plan.streams[1][1].cut = {0, 16};
  EXPECT_EQ(refusal(),
            "'d' (Relu) is cut into 2 parts; there are only 1 grains of 16 along axis 0");
  plan.streams[0][2].cut = plan.streams[1][1].cut = {1, 4};
  EXPECT_EQ(refusal(),
            "'d' (Relu) is cut along axis 1 in grains of 4, which its lowering does "
            "not allow");
}

TEST_F(VerifyPlan, RefusesPlacesOutsideTheArena) {
  offset("a") = 1 << 20;
  EXPECT_EQ(refusal(), "value 'a' lies at bytes [1048576, 1048640) of an arena of " +
                           std::to_string(plan.arena_bytes) + " bytes");
  offset("a") = -64;
  EXPECT_EQ(refusal(), "value 'a' lies at bytes [-64, 0) of an arena of " +
                           std::to_string(plan.arena_bytes) + " bytes");
}

TEST_F(VerifyPlan, RefusesPlacesThatOverflow) {
  offset("a") = INT64_MAX - 63;
  EXPECT_EQ(refusal(),
            "value 'a' lies at bytes [9223372036854775744, 9223372036854775807) of an "
            "arena of " +
                std::to_string(plan.arena_bytes) + " bytes");
  offset("a") = 0;
  strides("a") = {INT64_MAX / 8};
  EXPECT_EQ(refusal(), "value 'a' lies at bytes [0, 9223372036854775807) of an arena of " +
                           std::to_string(plan.arena_bytes) + " bytes");
}

TEST_F(VerifyPlan, RefusesPlacesThatAreNotAligned) {
  offset("a") = 4;
  EXPECT_EQ(refusal(), "value 'a' lies at offset 4, which is not a multiple of 64");
}

TEST_F(VerifyPlan, RefusesAValueWithoutAPlace) {
  offset("a") = -1;
  EXPECT_EQ(refusal(), "value 'a' has no place in the arena");
}

TEST_F(VerifyPlan, RefusesAPlaceForAGraphOutput) {
  offset("y") = 0;
  EXPECT_EQ(refusal(),
            "value 'y' has a place in the arena, but graph inputs, constants and graph "
            "outputs live outside it");
}

TEST_F(VerifyPlan, RefusesTooFewPlaces) {
  plan.placements.pop_back();
  EXPECT_EQ(refusal(), "the Plan has places for 5 values; the graph has 6");
}

TEST_F(VerifyPlan, RefusesImpossibleArenas) {
  plan.arena_bytes = -1;
  EXPECT_EQ(refusal(), "the arena cannot have -1 bytes");
}

TEST_F(VerifyPlan, RefusesScratchThatIsMissingOrOdd) {
  const Plan right = plan;
  plan.streams[0][1].scratch_offset = -1;
  EXPECT_EQ(refusal(),
            "'b' (Relu) at streams[0][1] needs 64 bytes of scratch, but has no place for it");
  plan.streams[0][1].scratch_offset = 32;
  EXPECT_EQ(refusal(),
            "the scratch of 'b' (Relu) at streams[0][1] lies at offset 32, which is "
            "not a multiple of 64");
  plan.streams[0][1].scratch_offset = plan.arena_bytes;
  EXPECT_EQ(refusal(), "the scratch of 'b' (Relu) at streams[0][1] begins at byte " +
                           std::to_string(plan.arena_bytes) +
                           " and needs 64 bytes of an arena of " +
                           std::to_string(plan.arena_bytes) + " bytes");
  plan = right;
  plan.streams[0][0].scratch_offset = 0;
  EXPECT_EQ(refusal(),
            "'a' (Relu) at streams[0][0] has a place for scratch, but its node needs none");
}

TEST_F(VerifyPlan, RefusesOddStrides) {
  plan.arena_bytes = 1 << 20;
  offset("a") = 4096;
  strides("a") = {4, 4};
  EXPECT_EQ(refusal(), "value 'a' (f32[16]) is placed with 2 strides; expected 1");
  strides("a") = {-4};
  EXPECT_EQ(refusal(), "value 'a' is placed with the negative stride -4");
  strides("a") = {6};
  EXPECT_EQ(refusal(), "value 'a' has stride 6, which is not a multiple of its element's 4 bytes");
  strides("a") = {0};
  EXPECT_EQ(refusal(), "value 'a' is placed with strides that give two elements one place");
  strides("a") = {64};
  EXPECT_EQ(refusal(), "accepted");
}

/// `r` is a view of `a`; `c` joins `b1` and `b2` in place.
class VerifyViews : public testing::Test {
 protected:
  VerifyViews() {
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.streams = {{step(graph, "a"), step(graph, "r"), step(graph, "b1")},
                    {step(graph, "b2", {{StreamId(0), 0}}), step(graph, "c"),
                     step(graph, "y", {{StreamId(0), 2}})}};
    place(graph, plan);
  }
  std::string refusal() const {
    try {
      verify(graph, plan);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  Graph graph = parse_graph(R"(
      x: f32[2,16]
      a: f32[2,16] = Relu(x)
      r: f32[32] = Reshape(a, s: i64[1] = {32}) <view>
      b1: f32[2,16] = Relu(r)
      b2: f32[2,16] = Relu(r)
      c: f32[2,32] = Concat(b1, b2) axis=1 <view>
      y: f32[2,32] = Relu(c))",
                            {});
  Plan plan;
};

TEST_F(VerifyViews, AViewNeedsNoOrderOfItsOwn) {
  EXPECT_EQ(refusal(), "accepted");
  // The joined value may be "made" before its pieces are written.
  std::swap(plan.streams[1][0], plan.streams[1][1]);
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(VerifyViews, AReaderWaitsForWhoWroteTheViewedBytes) {
  plan.streams[1][2].waits.clear();
  EXPECT_EQ(refusal(),
            "'y' (Relu) at streams[1][2] reads value 'c' but does not come after 'b1' (Relu) at "
            "streams[0][2], which writes it: it must wait for streams[0][2]");
}

/// Once the pieces of a Split were linked the wrong way round, and no reader had to wait.
TEST(VerifySplit, AReaderOfAPieceWaitsForWhoWroteTheWhole) {
  const Graph graph = parse_graph(R"(
      x: f32[32]
      a: f32[32] = Relu(x)
      p: f32[16], q: f32[16] = Split(a) axis=0 <view>
      y: f32[16] = Relu(q)
      z: f32[16] = Relu(p))",
                                  {});
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams = {{step(graph, "a"), step(graph, "p"), step(graph, "z")}, {step(graph, "y")}};
  place(graph, plan);
  try {
    verify(graph, plan);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "'y' (Relu) at streams[1][0] reads value 'q' but does not come after 'a' (Relu) at "
        "streams[0][0], which writes it: it must wait for streams[0][0]");
  }
  plan.streams[1][0].waits = {{StreamId(0), 0}};
  EXPECT_NO_THROW(verify(graph, plan));
}

TEST_F(VerifyViews, BytesStayInUseUntilTheLastReaderOfAView) {
  plan.placements[graph.find("b1").at()] = plan.placements[graph.find("a").at()];
  EXPECT_NE(refusal(), "accepted");
}

TEST_F(VerifyViews, AViewLiesWhereItsInputLies) {
  plan.arena_bytes += 4096;
  plan.placements[graph.find("r").at()].offset += 1024;
  EXPECT_EQ(refusal(),
            "'r' (Reshape) is a view, but value 'r' does not lie in its place inside "
            "value 'a'");
}

TEST_F(VerifyViews, PiecesOfAJoinedValueAreAlignedToTheirElements) {
  EXPECT_EQ(
      plan.placements[graph.find("b2").at()].offset - plan.placements[graph.find("c").at()].offset,
      64);
  for (std::string_view name : {"b1", "b2", "c"})
    plan.placements[graph.find(name).at()].offset += 4;
  plan.arena_bytes += 64;
  EXPECT_EQ(refusal(), "value 'b1' lies at offset " +
                           std::to_string(plan.placements[graph.find("b1").at()].offset) +
                           ", which is not a multiple of 64");
}

TEST(VerifyViewNodes, OnlyNodesThatChangeNothingMayBeViews) {
  const Graph graph = parse_graph(
      "x: f32[4]\na: f32[4] = Relu(x)\nb: f32[4] = Relu(a) <view>\ny: f32[4] = Relu(b)\n", {});
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams = {{step(graph, "a"), step(graph, "b"), step(graph, "y")}};
  try {
    verify(graph, plan);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "'b' (Relu) is lowered as a view, but operator Relu changes elements");
  }
}

}  // namespace
}  // namespace braid
