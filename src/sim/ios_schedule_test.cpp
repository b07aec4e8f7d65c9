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

IosSchedule parsed(const std::string& text, std::int64_t batch = 1) {
  return parse_ios_schedule(load_gpu_spec("v100"), text, "test", batch);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::size_t kernels(const std::vector<IosStage>& stages) { return ios_launches(stages).size(); }

int library_calls(const std::vector<IosStage>& stages) {
  int calls = 0;
  for (const Launch& launch : ios_launches(stages)) calls += launch.library_calls;
  return calls;
}

TEST(IosSchedule, HasStagesOfGroups) {
  const IosSchedule read = parsed(schedule());
  EXPECT_EQ(read.name, "small");
  ASSERT_EQ(read.stages.size(), 3);
  EXPECT_EQ(read.stages[1].size(), 2);
  EXPECT_EQ(read.stages[2][0][0].size(), 2);  // each slice is copied by a kernel of its own
}

TEST(IosSchedule, CallsTheLibraryOncePerOperator) {
  EXPECT_EQ(library_calls(parsed(schedule()).stages), 3);  // copies are the runtime's own
  // A bias without an activation is added by a call of its own.
  const std::string plain =
      replaced(schedule(), R"("groups": 1)", R"("groups": 1, "act": "identity")");
  EXPECT_EQ(library_calls(parsed(plain).stages), 4);
  EXPECT_EQ(kernels(parsed(plain).stages), kernels(parsed(schedule()).stages) + 1);
}

TEST(IosSchedule, CopiesSlicesAtLargerBatches) {
  const std::string sliced = replaced(schedule(), R"([["a", 0, 32]])", R"([["a", 0, 16]])");
  EXPECT_EQ(kernels(parsed(sliced).stages), kernels(parsed(schedule()).stages));
  EXPECT_EQ(kernels(parsed(sliced, 2).stages), kernels(parsed(schedule(), 2).stages) + 1);
}

TEST(IosSchedule, AddsTheValuesOfATerm) {
  const std::string sum =
      replaced(schedule(), R"([["b", 0, 32]], [["c", 0, 32]])", R"([["b", 0, 32], ["c", 0, 32]])");
  const IosSchedule read = parsed(sum);
  ASSERT_EQ(read.stages[2][0][0].size(), 1);
  EXPECT_FALSE(read.stages[2][0][0][0].library);
}

TEST(IosSchedule, TakesLongerAtLargerBatches) {
  const GpuSpec gpu = load_gpu_spec("v100");
  EXPECT_GT(ios_time(gpu, parsed(schedule(), 64).stages).nominal_us,
            2 * ios_time(gpu, parsed(schedule()).stages).nominal_us);
}

TEST(IosSchedule, TakesLongerWithDearerLibraryCalls) {
  GpuSpec gpu = load_gpu_spec("v100");
  gpu.costs.library_call_us = 0;
  const auto stages = one_by_one(parsed(schedule()).stages);
  const double before = ios_time(gpu, stages).nominal_us;
  gpu.costs.library_call_us = 1000;  // the host is what everything waits for
  EXPECT_GT(ios_time(gpu, stages).nominal_us, before + 2900);
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
  EXPECT_NEAR(ios_time(gpu, stages).nominal_us, before + 2 * 10, 1e-6);  // none at the end
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
