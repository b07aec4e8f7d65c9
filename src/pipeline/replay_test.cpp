#include "pipeline/replay.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "devices/open.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "rewrite/canonicalise.h"

namespace braid {
namespace {

const std::vector<Round> kTwoRules = {
    {{.rule = "merge-groups", .anchor = "a", .parameters = {2}}},
    {{.rule = "activate-before-concat", .anchor = "y", .nodes = {"j"}}}};

Graph two_sites() {
  return canonicalise(parse(R"(
      x: f32[1,4,5,5]
      a = Conv(x, w: f32[4,2,1,1]) group=2
      b = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(a, b) axis=1
      y = Relu(j))"))
      .graph;
}

TEST(Replay, TellsWhichRuleMadeANode) {
  const auto device = open_device("cpu");
  const Graph canonical = two_sites();
  const Graph graph = replayed(canonical, kTwoRules, *device);
  const std::string text = print(
      graph, {.elements_in_full = 0, .comments = rules_of_nodes(canonical, kTwoRules, *device)});
  EXPECT_EQ(print(parse(text), {.elements_in_full = 0}), print(graph, {.elements_in_full = 0}));
  const auto line_with = [&](std::string_view piece) {
    const std::size_t at = text.find(piece);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_TRUE(line_with("= Conv").ends_with("# activate-before-concat") ||
              line_with("= Conv").ends_with("# merge-groups"))
      << text;
  EXPECT_TRUE(line_with("= Concat").ends_with("# activate-before-concat")) << text;
  EXPECT_EQ(line_with("= MaxPool").find('#'), std::string::npos) << text;
}

TEST(Replay, RefusesWhatMatchesNothing) {
  const auto device = open_device("cpu");
  EXPECT_THROW(replayed(two_sites(), {{{.rule = "merge-groups", .anchor = "b"}}}, *device), Error);
}

}  // namespace
}  // namespace braid
