#include "sim/engine.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

double time_of(const GpuSpec& gpu, const std::vector<Launch>& launches,
               const EngineOptions& options = {}) {
  return simulate(gpu, launches, options).time_us;
}

EngineOptions streams() {
  EngineOptions options;
  options.mode = LaunchMode::Streams;
  return options;
}

TEST(Engine, NothingTakesNoTime) { EXPECT_EQ(time_of(plain_gpu(), {}), 0); }

TEST(Engine, OneKernelTakesItsSoloTime) {
  const GpuSpec gpu = plain_gpu();
  for (std::int64_t blocks : {1, 7, 10, 11, 40, 41, 100, 1000, 12345}) {
    Kernel kernel = arithmetic(blocks);
    kernel.fill_us = 2;
    kernel.refill_us = 0.25;
    kernel.saturation_warps = 6;
    EXPECT_NEAR(time_of(gpu, {launch_of(kernel)}), solo_us(gpu, kernel),
                0.02 * solo_us(gpu, kernel))
        << blocks;
    EXPECT_NEAR(time_of(gpu, {launch_of(copying(blocks))}), solo_us(gpu, copying(blocks)),
                0.05 * solo_us(gpu, copying(blocks)))
        << blocks;
  }
}

TEST(Engine, AStreamIsTheSumOfItsKernelsAndEdges) {
  GpuSpec gpu = plain_gpu();
  gpu.costs.edge_us = 0.5;
  const std::vector<Launch> launches = {launch_of(arithmetic(10)), launch_of(copying(40)),
                                        launch_of(arithmetic(20))};
  EXPECT_NEAR(time_of(gpu, launches), 1 + 0.5 + 4 + 0.5 + 2, 1e-9);
}

TEST(Engine, TwoKernelsThatFillHalfTheDeviceOverlap) {
  const GpuSpec gpu = plain_gpu();
  const std::vector<Launch> side_by_side = {launch_of(arithmetic(5), 0),
                                            launch_of(arithmetic(5), 1)};
  EXPECT_NEAR(time_of(gpu, side_by_side), 1, 1e-9);
  const std::vector<Launch> in_a_row = {launch_of(arithmetic(5)), launch_of(arithmetic(5))};
  EXPECT_NEAR(time_of(gpu, in_a_row), 2, 1e-9);
}

TEST(Engine, ArithmeticIsConserved) {
  // Two kernels that fill the device one by one gain nothing side by side, and lose nothing.
  const std::vector<Launch> launches = {launch_of(arithmetic(20), 0), launch_of(arithmetic(20), 1)};
  EXPECT_NEAR(time_of(plain_gpu(), launches), 4, 1e-9);
}

TEST(Engine, MemoryIsShared) {
  const std::vector<Launch> launches = {launch_of(copying(10), 0), launch_of(copying(10), 1)};
  EXPECT_NEAR(time_of(plain_gpu(), launches), 2, 1e-9);
}

TEST(Engine, ArithmeticHidesBehindMemory) {
  const std::vector<Launch> launches = {launch_of(copying(20), 0), launch_of(arithmetic(20), 1)};
  EXPECT_NEAR(time_of(plain_gpu(), launches), 2, 1e-9);
}

TEST(Engine, AKernelWithUnplacedBlocksHoldsUpThoseBehindIt) {
  const GpuSpec gpu = plain_gpu();
  Kernel wide = arithmetic(60);  // one wave and a half
  Kernel small = arithmetic(1);
  const Simulation result =
      simulate(gpu, std::vector<Launch>{launch_of(wide, 0), launch_of(small, 1)});
  EXPECT_NEAR(result.launches[1].begin_us, 4, 1e-9);  // once the second wave is placed
  const Simulation other =
      simulate(gpu, std::vector<Launch>{launch_of(small, 1), launch_of(wide, 0)});
  EXPECT_NEAR(other.launches[0].begin_us, 0, 1e-9);
}

TEST(Engine, PriorityPassesTheQueueButMovesNoBlock) {
  const GpuSpec gpu = plain_gpu();
  std::vector<Launch> launches = {launch_of(arithmetic(80), 0), launch_of(arithmetic(40), 1),
                                  launch_of(arithmetic(1), 2)};
  launches[2].priority = 1;
  const Simulation result = simulate(gpu, launches);
  EXPECT_NEAR(result.launches[2].begin_us, 0, 1e-9);
  launches[2].after = {};
  launches[2].priority = 0;
  EXPECT_GT(simulate(gpu, launches).launches[2].begin_us, 3.9);
}

TEST(Engine, BlocksGoWhereThereIsMostRoom) {
  // Five SMs are half full; the next five blocks take the other five SMs.
  const GpuSpec gpu = plain_gpu();
  Kernel fat = arithmetic(5, 1000);
  fat.shared_bytes = 40'000;
  const std::vector<Launch> launches = {launch_of(fat, 0), launch_of(fat, 1)};
  EXPECT_NEAR(time_of(gpu, launches), 1, 1e-9);
}

TEST(Engine, EdgesBetweenStreamsCostMore) {
  GpuSpec gpu = plain_gpu();
  gpu.costs.edge_us = 0.5;
  gpu.costs.cross_edge_us = 2;
  EXPECT_NEAR(time_of(gpu, {launch_of(arithmetic(10), 0), launch_of(arithmetic(10), 1, {0})}), 4,
              1e-9);
}

TEST(Engine, AGraphCostsItsLaunchAndItsFrontEnd) {
  GpuSpec gpu = plain_gpu();
  gpu.costs.graph_us = 10;
  gpu.costs.graph_node_us = 3;
  const std::vector<Launch> launches = {launch_of(arithmetic(1), 0), launch_of(arithmetic(1), 1)};
  EXPECT_NEAR(time_of(gpu, launches), 10 + 3 + 1, 1e-9);
}

TEST(Engine, TheHostBoundsStreamsOfSmallKernels) {
  GpuSpec gpu = plain_gpu();
  gpu.costs.launch_us = 5;
  gpu.costs.event_us = 1;
  std::vector<Launch> launches = {launch_of(arithmetic(1), 0), launch_of(arithmetic(1), 1)};
  EXPECT_NEAR(time_of(gpu, launches, streams()), 5 + 5 + 1, 1e-9);
  launches[1].events = 2;
  EXPECT_NEAR(time_of(gpu, launches, streams()), 5 + 5 + 2 + 1, 1e-9);
}

TEST(Engine, ADeviceSyncWaitsForAllAndForTheHost) {
  GpuSpec gpu = plain_gpu();
  gpu.costs.launch_us = 1;
  gpu.costs.device_sync_us = 10;
  std::vector<Launch> launches = {launch_of(arithmetic(40), 0), launch_of(arithmetic(10), 1)};
  launches[1].device_sync = true;
  EXPECT_NEAR(time_of(gpu, launches, streams()), 1 + 4 + 10 + 1 + 1, 1e-9);
}

TEST(Engine, StreamsBeyondTheQueuesWaitForOneAnother) {
  // Stream 2 shares its queue with stream 0, whose second kernel waits for its first.
  const std::vector<Launch> launches = {launch_of(arithmetic(1), 0), launch_of(arithmetic(1), 0),
                                        launch_of(arithmetic(1), 2)};
  const auto begins_us = [&](int hardware, int graph, const EngineOptions& options) {
    GpuSpec gpu = plain_gpu();
    gpu.costs.hardware_queues = hardware;
    gpu.costs.graph_queues = graph;
    return simulate(gpu, launches, options).launches[2].begin_us;
  };
  EXPECT_NEAR(begins_us(2, 8, streams()), 1, 1e-9);
  EXPECT_NEAR(begins_us(3, 1, streams()), 0, 1e-9);
  EXPECT_NEAR(begins_us(8, 2, {}), 1, 1e-9) << "a CUDA Graph has queues of its own";
  EXPECT_NEAR(begins_us(1, 3, {}), 0, 1e-9);
}

TEST(Engine, ThickensGridsOfVeryManyBlocks) {
  const GpuSpec gpu = plain_gpu();
  const Kernel huge = arithmetic(std::int64_t{1} << 31);
  EXPECT_NEAR(time_of(gpu, {launch_of(huge)}) / solo_us(gpu, huge), 1, 0.02);
}

TEST(Engine, RefusesToWaitForALaterLaunch) {
  const std::vector<Launch> launches = {launch_of(arithmetic(1), 0, {0})};
  EXPECT_THROW(simulate(plain_gpu(), launches), Error);
}

/// Launches of all sizes with edges to earlier ones.
std::vector<Launch> random_launches(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::vector<Launch> launches;
  for (int i = 0; i < count; ++i) {
    Kernel kernel = below(2) == 0 ? arithmetic(1 + below(90), 200 + below(2000))
                                  : copying(1 + below(90), 20 + below(200));
    kernel.threads = 32 * (1 + below(8));
    kernel.shared_bytes = below(30'000);
    kernel.fill_us = 0.1 * below(10);
    if (kernel.pipe == Pipe::Fp32 && below(2) == 0) kernel.dram_bytes = kernel.l2_bytes = below(99);
    Launch launch = launch_of(kernel, below(6));
    for (int k = below(3); k > 0 && i > 0; --k) launch.after.push_back(below(i));
    launches.push_back(launch);
  }
  return launches;
}

double lower_bound_us(const GpuSpec& gpu, const std::vector<Launch>& launches) {
  double flops = 0;
  double bytes = 0;
  for (const Launch& launch : launches) {
    flops += launch.kernel.flops * static_cast<double>(launch.kernel.blocks);
    bytes += launch.kernel.dram_bytes * static_cast<double>(launch.kernel.blocks);
  }
  return std::max(flops / gpu.fp32_flops_per_us, bytes / gpu.dram_bytes_per_us);
}

RC_GTEST_PROP(Engine, NeverBeatsTheBoundsAndKeepsItsPromises, ()) {
  const auto launches =
      random_launches(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange(1, 40));
  const GpuSpec gpu = plain_gpu();
  const Simulation result = simulate(gpu, launches);
  double last = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchTimes& times = result.launches[i];
    RC_ASSERT(times.end_us + 1e-6 >= times.begin_us + launches[i].kernel.fill_us);
    for (std::int32_t before : launches[i].after)
      RC_ASSERT(times.begin_us >= result.launches[static_cast<std::size_t>(before)].end_us);
    last = std::max(last, times.end_us);
  }
  RC_ASSERT(result.time_us == last);
  RC_ASSERT(result.time_us >= lower_bound_us(gpu, launches) * (1 - 1e-9));
  RC_ASSERT(result.busy_share > 0 && result.busy_share <= 1 + 1e-9);
}

RC_GTEST_PROP(Engine, UsageAddsUpToTheWorkThatWasDone, ()) {
  const auto launches =
      random_launches(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange(1, 40));
  const GpuSpec gpu = plain_gpu();
  const Simulation result = simulate(gpu, launches, {.log_usage = true});
  RC_ASSERT(result.time_us == time_of(gpu, launches));
  double busy_us = 0;
  double bytes = 0;
  for (std::size_t i = 0; i + 1 < result.usage.size(); ++i) {
    const Usage& usage = result.usage[i];
    const double us = result.usage[i + 1].at_us - usage.at_us;
    RC_ASSERT(us > 0);
    RC_ASSERT(usage.threads <= usage.sms + 1e-9);
    RC_ASSERT(usage.dram <= 1 + 1e-9);
    busy_us += us * usage.sms;
    bytes += us * usage.dram * gpu.dram_bytes_per_us;
  }
  double expected = 0;
  for (const Launch& launch : launches)
    expected += launch.kernel.dram_bytes * static_cast<double>(launch.kernel.blocks);
  RC_ASSERT(std::abs(busy_us - result.busy_share * result.time_us) <= 1e-6 * result.time_us);
  RC_ASSERT(std::abs(bytes - expected) <= 1e-6 * expected);
}

RC_GTEST_PROP(Engine, OverlapDoesNotLoseToOneStreamByMoreThanInterference, ()) {
  const auto launches =
      random_launches(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange(1, 30));
  std::vector<Launch> in_a_row = launches;
  for (Launch& launch : in_a_row) launch.stream = 0;
  const double overlapped = time_of(plain_gpu(), launches);
  RC_ASSERT(overlapped <= time_of(plain_gpu(), in_a_row) * 1.25);
}

RC_GTEST_PROP(Engine, IsDeterministic, ()) {
  const auto launches =
      random_launches(*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange(1, 40));
  EngineOptions options;
  options.placement_seed = *rc::gen::arbitrary<std::uint64_t>();
  const Simulation a = simulate(plain_gpu(), launches, options);
  const Simulation b = simulate(plain_gpu(), launches, options);
  for (std::size_t i = 0; i < launches.size(); ++i)
    RC_ASSERT(a.launches[i].end_us == b.launches[i].end_us);
}

}  // namespace
}  // namespace braid::sim
