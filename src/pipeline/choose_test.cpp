#include <fmt/format.h>
#include <gtest/gtest.h>

#include "devices/open.h"
#include "ops/builder.h"
#include "pipeline/stages.h"

namespace braid {
namespace {

Plan plan_of(const Graph& graph, const Device& device, std::string scheduler,
             std::optional<std::string> edits = {}) {
  PipelineOptions options;
  options.plan.scheduler = std::move(scheduler);
  options.plan.edits = std::move(edits);
  options.rewrite.canonicalise = false;
  options.costs.use_cache = false;
  return to_plan(graph, device, options).plan;
}

/// Branches that cannot be cut, each with a large value of its own.
Graph branches(int count) {
  std::string text = "x: f32[64,1024]\naxis: i64[] = {1}\n";
  for (int i = 0; i < count; ++i)
    text += "a" + std::to_string(i) + " = CumSum(x, axis)\n" + "y" + std::to_string(i) +
            " = ReduceMax(a" + std::to_string(i) + ")\n";
  return parse(text);
}

TEST(ChoosePlan, BraidTakesLittleMoreMemoryThanOneOperatorAfterAnother) {
  const auto device = open_device("cpu", {.threads = 2});
  const Graph graph = branches(6);
  const std::int64_t least = plan_of(graph, *device, "sequential").arena_bytes;
  EXPECT_GT(plan_of(graph, *device, "nimble").arena_bytes, least * 6 / 5) << "side by side";
  EXPECT_LE(plan_of(graph, *device, "braid").arena_bytes, least * 6 / 5);
}

TEST(ChoosePlan, BraidTakesWhatEditsNeed) {
  const auto device = open_device("cpu", {.threads = 2});
  const Graph graph = branches(3);
  std::string edits;
  for (const char* large : {"a0", "a1", "a2"})
    for (const char* small : {"y0", "y1", "y2"})
      edits += fmt::format("before {} {}\n", large, small);
  const std::int64_t least = plan_of(graph, *device, "sequential").arena_bytes;
  EXPECT_GE(plan_of(graph, *device, "braid", edits).arena_bytes, 3 * least);
}

}  // namespace
}  // namespace braid
