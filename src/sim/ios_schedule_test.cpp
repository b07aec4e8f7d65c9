#include "sim/ios_schedule.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid::sim {
namespace {

/// One block: a convolution, then two side by side, then their concatenation.
std::string schedule(std::string_view stages = R"([[["a"]], [["b"], ["c"]], [["d"]]])") {
  return R"({"name": "small", "input": {"name": "x", "output_shape": [64, 28, 28]},
    "blocks": [{"inner_nodes": [
      {"type": "conv", "name": "a", "inputs": [[["x", 0, 64]]], "kernel": [1, 1],
       "stride": [1, 1], "padding": [0, 0], "groups": 1, "output_shape": [32, 28, 28]},
      {"type": "conv", "name": "b", "inputs": [[["a", 0, 32]]], "kernel": [3, 3],
       "stride": [1, 1], "padding": [1, 1], "groups": 1, "output_shape": [32, 28, 28]},
      {"type": "pool", "name": "c", "inputs": [[["a", 0, 32]]], "pool_type": "max",
       "kernel": [3, 3], "stride": [1, 1], "padding": [1, 1], "output_shape": [32, 28, 28]}],
    "exit_node": {"type": "identity", "name": "d",
       "inputs": [[["b", 0, 32]], [["c", 0, 32]]], "output_shape": [64, 28, 28]},
    "stages": )" +
         std::string(stages) + "}]}";
}

IosSchedule parsed(const std::string& text) {
  return parse_ios_schedule(load_gpu_spec("v100"), text, "test");
}

TEST(IosSchedule, HasStagesOfGroups) {
  const IosSchedule read = parsed(schedule());
  EXPECT_EQ(read.name, "small");
  ASSERT_EQ(read.stages.size(), 3);
  EXPECT_EQ(read.stages[1].size(), 2);
  EXPECT_EQ(read.stages[2][0][0].size(), 2);  // each slice is copied by a kernel of its own
}

TEST(IosSchedule, SyncsAroundParallelStages) {
  std::vector<std::size_t> syncs;
  const std::vector<Launch> launches = ios_launches(parsed(schedule()).stages);
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (launches[i].device_sync) syncs.push_back(i);
  EXPECT_EQ(syncs.size(), 2);
  for (const Launch& launch : ios_launches(one_by_one(parsed(schedule()).stages)))
    EXPECT_FALSE(launch.device_sync || launch.stream != 0);
}

TEST(IosSchedule, TakesLongerWithDearerSyncs) {
  GpuSpec gpu = load_gpu_spec("v100");
  const auto stages = parsed(schedule()).stages;
  const double before = ios_time(gpu, stages).nominal_us;
  gpu.costs.device_sync_us += 10;
  EXPECT_NEAR(ios_time(gpu, stages).nominal_us, before + 3 * 10, 1e-6);
}

TEST(IosSchedule, RefusesWhatDoesNotFitTogether) {
  EXPECT_THROW(parsed(schedule(R"([[["nobody"]]])")), Error);
  EXPECT_THROW(parsed("{}"), Error);
  std::string unknown = schedule();
  unknown.replace(unknown.find("[\"a\", 0, 32]"), 4, "[\"z\"");
  EXPECT_THROW(parsed(unknown), Error);
}

}  // namespace
}  // namespace braid::sim
