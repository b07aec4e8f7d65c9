#include <algorithm>

#include "ops/call.h"
#include "rewrite/testing/canonicalised.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

struct Counts {
  std::int64_t operators = 0;
  std::int64_t merged = 0;  ///< operators gone in merge-common-subexpressions
  std::int64_t residuals = 0;
};

Counts counts_of(std::string_view model, std::vector<std::string> disabled = {}) {
  const Canonicalised result = canonicalise(zoo::build(model), {.disabled = std::move(disabled)});
  Counts counts;
  for (NodeId id : result.graph.node_ids())
    counts.operators += counts_as_operator(result.graph.node(id)) ? 1 : 0;
  for (const StepReport& step : result.steps) {
    if (step.name == "merge-common-subexpressions")
      counts.merged += static_cast<std::int64_t>(step.nodes_before - step.nodes_after);
    if (step.name == "fuse-residual") counts.residuals += step.changes;
  }
  return counts;
}

// The published counts (Inception 124, ResNet and ResNeXt 72, NASNet-A 752 and 554) leave every
// addition an operator of its own; we fuse it into the operator before it where nothing has to wait
// for that. Two steps go further than the published ones: merge-concats takes Inception's four
// inner Concats, and merge-common-subexpressions also shares the four Relus that the two paths of
// NASNet's projections have in common.
void expect_published(std::string_view model, std::int64_t published, std::int64_t further,
                      std::int64_t ours) {
  const Counts counts = counts_of(model);
  EXPECT_EQ(counts.operators, ours) << model;
  EXPECT_EQ(counts.operators + counts.residuals + further, published) << model;
}

TEST(ZooCounts, InceptionKeepsConvolutionsPoolsAndConcats) {
  expect_published("inception-v3", 124, 4, 120);
}

TEST(ZooCounts, ResNetJoinsEveryShortcut) {
  expect_published("resnet-50", 72, 0, 56);
  expect_published("resnext-50", 72, 0, 56);
}

TEST(ZooCounts, NasNetJoinsShortcutsThatAreReady) {
  expect_published("nasnet-a-mobile", 554, 4, 516);
  expect_published("nasnet-a-large", 752, 4, 702);
}

TEST(ZooCounts, NasNetRepeatsItself) {
  EXPECT_EQ(counts_of("nasnet-a-mobile", all_but("merge-common-subexpressions")).merged, 76 + 4);
}

}  // namespace
}  // namespace braid
