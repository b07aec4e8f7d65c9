#include "sim/ensemble.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

GpuSpec gpu_with_families() {
  GpuSpec gpu = plain_gpu();
  gpu.families["arithmetic"].calibrated = true;
  gpu.families["arithmetic"].error = 0.05;
  return gpu;
}

Kernel covered(std::int64_t blocks) {
  Kernel kernel = arithmetic(blocks);
  kernel.covered = true;
  return kernel;
}

double spread(const GpuSpec& gpu, Kernel kernel) {
  kernel.efficiency = 0.5;  // far from the peak
  double least = 1e9;
  double most = 0;
  for (int draw = kReportedDraws.first; draw < kReportedDraws.end(); ++draw) {
    const double efficiency = perturbed(gpu, kernel, draw).efficiency;
    least = std::min(least, efficiency);
    most = std::max(most, efficiency);
  }
  return most / least;
}

TEST(Ensemble, KernelsWithoutMeasurementsVaryMore) {
  const GpuSpec gpu = gpu_with_families();
  EXPECT_LT(spread(gpu, covered(10)), 2.1);
  EXPECT_GT(spread(gpu, arithmetic(10)), 1.2 * spread(gpu, covered(10)));
  EXPECT_LT(spread(gpu, arithmetic(10)), 4);
}

TEST(Ensemble, EqualKernelsChangeAlike) {
  const GpuSpec gpu = gpu_with_families();
  EXPECT_EQ(perturbed(gpu, covered(10), 3).efficiency, perturbed(gpu, covered(10), 3).efficiency);
  EXPECT_NE(perturbed(gpu, covered(10), 3).efficiency, perturbed(gpu, covered(11), 3).efficiency);
  EXPECT_NE(perturbed(gpu, covered(10), 3).efficiency, perturbed(gpu, covered(10), 4).efficiency);
}

TEST(Ensemble, TheNominalModelIsNoDraw) {
  const std::vector<Launch> launches = {launch_of(covered(25)), launch_of(copying(30), 1)};
  const GpuSpec gpu = gpu_with_families();
  const SimulatedTime time = simulate_all(gpu, launches);
  EXPECT_EQ(time.nominal_us, simulate(gpu, launches).time_us);
  EXPECT_EQ(time.draws_us.size(), static_cast<std::size_t>(kReportedDraws.count));
  EXPECT_EQ(std::count(time.draws_us.begin(), time.draws_us.end(), time.nominal_us), 0);
}

TEST(Ensemble, ASimulatorTellsWhatSimulateTells) {
  const GpuSpec gpu = gpu_with_families();
  const std::vector<Kernel> kernels = {covered(25), copying(30)};
  const std::vector<Launch> launches = {launch_of(kernels[0]), launch_of(kernels[1], 1),
                                        launch_of(kernels[0], 1, {0})};
  Slots slots;
  slots.slots = {{.kernel = 0}, {.kernel = 1, .stream = 1}, {.kernel = 0, .stream = 1}};
  slots.waits = {0};
  const SimulatedTime time = simulate_all(gpu, launches);
  Simulator nominal = simulator_of(gpu, kernels, 0);
  EXPECT_EQ(nominal.time_us(slots), time.nominal_us);
  EXPECT_EQ(nominal.time_us(slots), time.nominal_us) << "and again";
  EXPECT_EQ(simulator_of(gpu, kernels, kReportedDraws.first + 4).time_us(slots), time.draws_us[4]);
}

TEST(Ensemble, EveryDrawServesOnePurpose) {
  const std::vector<Draws> rows = {
      {0, 17}, kChoiceDraws, kSearchDraws, kGraphDraws, kReportedDraws};
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i].first, rows[i - 1].end());
}

TEST(Ensemble, FactorsAreCentredAndNoEfficiencyPassesThePeak) {
  GpuSpec gpu = gpu_with_families();
  Kernel fast = covered(10);
  fast.efficiency = 0.97;
  Kernel slow = covered(10);
  slow.efficiency = 0.3;
  double sum = 0;
  for (int draw = 1; draw <= 400; ++draw) {
    EXPECT_LE(perturbed(gpu, fast, draw).efficiency, 1);
    sum += std::log(perturbed(gpu, slow, draw).efficiency / slow.efficiency);
  }
  EXPECT_NEAR(sum / 400, 0, 0.03);
}

TEST(Ensemble, BranchesThatStartSideBySideAreDrawn) {
  std::map<int, int> seen;
  for (int draw = kReportedDraws.first; draw < kReportedDraws.end(); ++draw)
    ++seen[perturbed(gpu_with_families(), draw).costs.graph_queues];
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_GT(seen[2], seen[1]);
  EXPECT_GT(seen[2], seen[8]);
}

}  // namespace
}  // namespace braid::sim
