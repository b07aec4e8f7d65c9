#include "sim/interference.h"

#include <gtest/gtest.h>

#include "sim/engine.h"
#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

StatedInterference stated_row(std::string first, std::string second, double slowdown_first,
                              double slowdown_second) {
  return {std::move(first), std::move(second), slowdown_first, slowdown_second,
          "measured on a test"};
}

GpuSpec stating(GpuSpec gpu, std::vector<StatedInterference> rows) {
  gpu.interference = std::move(rows);
  return gpu;
}

/// Two kernels that fill half of the device each, on two streams.
std::vector<Launch> at_once(const Kernel& first, const Kernel& second) {
  return {launch_of(first, 0), launch_of(second, 1)};
}

TEST(ClassOf, ARooflineDecidesNotAName) {
  const GpuSpec gpu = plain_gpu();
  EXPECT_EQ(class_of(gpu, copying(40)), KernelClass::Memory);
  EXPECT_EQ(class_of(gpu, arithmetic(40)), KernelClass::Compute);
  Kernel kernel = arithmetic(40, 1000);  // 0.1 us of the device's arithmetic
  kernel.dram_bytes = kernel.l2_bytes = 90;
  EXPECT_EQ(class_of(gpu, kernel), KernelClass::Compute);
  kernel.dram_bytes = kernel.l2_bytes = 110;
  EXPECT_EQ(class_of(gpu, kernel), KernelClass::Memory);
  kernel.efficiency = 0.5;
  EXPECT_EQ(class_of(gpu, kernel), KernelClass::Compute);
}

TEST(Interference, FollowsFromTheModelIfNothingIsStated) {
  const GpuSpec gpu = plain_gpu();
  const Interference like = interference(gpu, arithmetic(20), arithmetic(20));
  EXPECT_NEAR(like.slowdowns[0], 2, 1e-6);
  EXPECT_NEAR(like.slowdowns[1], 2, 1e-6);
  EXPECT_FALSE(like.stated);
  EXPECT_EQ(like.source, "model");
  const Interference unlike = interference(gpu, copying(20), arithmetic(20));
  EXPECT_EQ(unlike.classes[0], KernelClass::Memory);
  EXPECT_EQ(unlike.classes[1], KernelClass::Compute);
  EXPECT_NEAR(unlike.slowdowns[0], 1, 1e-6);
  EXPECT_NEAR(unlike.slowdowns[1], 1, 1e-6);
  EXPECT_NEAR(interference(gpu, copying(20), copying(20)).slowdowns[0], 2, 1e-6);
}

TEST(Interference, IsTheSameForShortAndLongAndForKernelsOfManyWaves) {
  const GpuSpec gpu = plain_gpu();
  Kernel kernel = arithmetic(2000, 7);
  kernel.fill_us = 5;
  const Interference found = interference(gpu, kernel, copying(500, 30'000));
  EXPECT_NEAR(found.slowdowns[0], 1, 1e-6);
  EXPECT_NEAR(found.slowdowns[1], 1, 1e-6);
}

TEST(Interference, FewBlocksFindRoomBesideOthers) {
  const Interference found = interference(plain_gpu(), arithmetic(4), arithmetic(4));
  EXPECT_NEAR(found.slowdowns[0], 1, 1e-6);
}

TEST(Interference, OfClassesIsKnownForEveryGpuThatComesWithBraid) {
  for (const std::string& gpu : gpu_names()) {
    const auto rows = class_interference(load_gpu_spec(gpu));
    ASSERT_EQ(rows.size(), 3U) << gpu;
    EXPECT_EQ(rows[0].classes, (std::array{KernelClass::Compute, KernelClass::Compute})) << gpu;
    EXPECT_EQ(rows[1].classes, (std::array{KernelClass::Compute, KernelClass::Memory})) << gpu;
    EXPECT_EQ(rows[2].classes, (std::array{KernelClass::Memory, KernelClass::Memory})) << gpu;
    for (const Interference& row : rows)
      for (double slowdown : row.slowdowns) {
        EXPECT_GE(slowdown, 1 - 1e-9) << gpu;
        EXPECT_LE(slowdown, 10) << gpu;
      }
    EXPECT_LT(rows[1].slowdowns[0], rows[0].slowdowns[0])
        << "an unlike neighbour hurts less on " << gpu;
  }
}

TEST(Interference, StatedFiguresAreReturnedWithTheirSource) {
  const GpuSpec gpu = stating(plain_gpu(), {stated_row("memory", "compute", 1.3, 1.1)});
  const Interference found = interference(gpu, arithmetic(20), copying(20));
  EXPECT_NEAR(found.slowdowns[0], 1.1, 1e-6);
  EXPECT_NEAR(found.slowdowns[1], 1.3, 1e-6);
  EXPECT_TRUE(found.stated);
  EXPECT_EQ(found.source, "measured on a test");
}

TEST(StatedFigures, AreObeyedForTwoEqualLongKernels) {
  for (const double slowdown : {1.0, 1.4, 2.0, 2.5}) {
    const GpuSpec compute =
        stating(plain_gpu(), {stated_row("compute", "compute", slowdown, slowdown)});
    const auto two = at_once(arithmetic(20, 1e6), arithmetic(20, 1e6));
    const double alone_us = simulate(compute, std::vector{two[0]}).time_us;
    for (const LaunchTimes& times : simulate(compute, two).launches)
      EXPECT_NEAR(times.end_us / alone_us, slowdown, 0.01 * slowdown);
  }
}

TEST(StatedFigures, AreObeyedByKernelsOfEveryGpu) {
  const auto rows = {stated_row("compute", "compute", 1.7, 1.7),
                     stated_row("compute", "memory", 1.15, 1.45),
                     stated_row("memory", "memory", 1.9, 1.9)};
  for (const std::string& name : gpu_names()) {
    const auto found = class_interference(stating(load_gpu_spec(name), rows));
    ASSERT_EQ(found.size(), 3U);
    EXPECT_NEAR(found[0].slowdowns[0], 1.7, 0.017) << name;
    EXPECT_NEAR(found[1].slowdowns[0], 1.15, 0.012) << name;
    EXPECT_NEAR(found[1].slowdowns[1], 1.45, 0.015) << name;
    EXPECT_NEAR(found[2].slowdowns[1], 1.9, 0.019) << name;
  }
}

TEST(StatedFigures, HoldOnlyWhileBothAreThere) {
  const GpuSpec gpu = stating(plain_gpu(), {stated_row("compute", "memory", 1.5, 1.2)});
  // Alone 20 us each: the copy ends after 24, when 16 of the arithmetic are done.
  const Simulation both = simulate(gpu, at_once(arithmetic(20, 10'000), copying(20, 1000)));
  EXPECT_NEAR(both.launches[1].end_us, 24, 0.01);
  EXPECT_NEAR(both.launches[0].end_us, 28, 0.01);
}

TEST(StatedFigures, PressAsFarAsBothCrowdEachOther) {
  const GpuSpec gpu = stating(plain_gpu(), {stated_row("compute", "compute", 1.8, 1.8),
                                            stated_row("memory", "memory", 2, 2)});
  EXPECT_NEAR(interference(gpu, arithmetic(5), arithmetic(5)).slowdowns[0], 1, 1e-6)
      << "they are on different SMs";
  // One block draws two fifths of the bandwidth, and twenty all of it.
  const Interference found = interference(gpu, copying(20), copying(1));
  EXPECT_NEAR(found.slowdowns[0], 1.4, 1e-6);
  EXPECT_NEAR(found.slowdowns[1], 1.4, 1e-6);
  EXPECT_NEAR(interference(gpu, copying(1), copying(1)).slowdowns[0], 1, 1e-6);
}

TEST(StatedFigures, AddUpOverNeighbours) {
  const GpuSpec gpu = stating(plain_gpu(), {stated_row("memory", "memory", 2, 2)});
  const Simulation three = simulate(
      gpu,
      std::vector{launch_of(copying(10), 0), launch_of(copying(10), 1), launch_of(copying(10), 2)});
  EXPECT_NEAR(three.time_us, 3, 0.01);
}

TEST(StatedFigures, LeaveOtherPairsToTheModel) {
  const GpuSpec plain = plain_gpu();
  const GpuSpec gpu = stating(plain, {stated_row("compute", "memory", 1.5, 1.5)});
  std::vector<Launch> launches = {launch_of(arithmetic(13, 700), 0), launch_of(arithmetic(29), 1),
                                  launch_of(arithmetic(7), 0)};
  EXPECT_EQ(simulate(gpu, launches).time_us, simulate(plain, launches).time_us);
  launches.push_back(launch_of(copying(9), 2));
  EXPECT_GT(simulate(gpu, launches).time_us, simulate(plain, launches).time_us);
}

TEST(StatedFigures, AboutNoneOfTheKernelsChangeNoBit) {
  const GpuSpec plain = plain_gpu();
  const GpuSpec gpu = stating(plain, {stated_row("elsewhere", "memory", 3, 3)});
  std::vector<Launch> launches;
  for (int i = 0; i < 40; ++i) {
    Launch launch =
        launch_of(i % 3 == 0 ? copying(3 + 5 * i % 31, 77) : arithmetic(1 + 7 * i % 45), i % 5);
    launch.kernel.fill_us = 0.1 * (i % 4);
    launch.kernel.saturation_warps = 1 + i % 9;
    if (launch.kernel.pipe == Pipe::Fp32) launch.kernel.dram_bytes = launch.kernel.l2_bytes = 3 * i;
    launches.push_back(std::move(launch));
  }
  const Simulation with = simulate(gpu, launches);
  const Simulation without = simulate(plain, launches);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    EXPECT_EQ(with.launches[i].begin_us, without.launches[i].begin_us);
    EXPECT_EQ(with.launches[i].end_us, without.launches[i].end_us);
  }
}

}  // namespace
}  // namespace braid::sim
