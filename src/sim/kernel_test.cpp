#include "sim/kernel.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

struct Case {
  const char* gpu;
  int threads;
  int registers;
  std::int64_t shared_bytes;
  int blocks;  ///< per SM, as NVIDIA's cuda_occupancy.h says
};

TEST(Occupancy, FollowsNvidiasRules) {
  const Case cases[] = {
      {"v100", 256, 128, 49152, 2},    {"t4", 256, 128, 49152, 1},
      {"rtx3090", 256, 128, 49152, 2}, {"a100", 256, 128, 49152, 2},
      {"h100", 256, 128, 49152, 2},    {"v100", 128, 122, 16384, 4},
      {"t4", 128, 122, 16384, 4},      {"rtx2080s", 128, 122, 16384, 4},
      {"a100", 128, 122, 16384, 4},    {"v100", 256, 32, 0, 8},
      {"t4", 256, 32, 0, 4},           {"rtx3090", 256, 32, 0, 6},
      {"a100", 256, 32, 0, 8},         {"h100", 256, 32, 0, 8},
      {"v100", 128, 255, 65536, 1},    {"a100", 128, 255, 65536, 2},
      {"rtx3090", 128, 255, 65536, 1}, {"h100", 128, 255, 65536, 2},
      {"v100", 64, 126, 8192, 8},      {"t4", 64, 126, 8192, 8},
      {"a100", 64, 126, 8192, 8},      {"v100", 32, 16, 0, 32},
      {"rtx2080ti", 32, 16, 0, 16},
  };
  for (const Case& row : cases) {
    Kernel kernel;
    kernel.threads = row.threads;
    kernel.registers = row.registers;
    kernel.shared_bytes = row.shared_bytes;
    EXPECT_EQ(occupancy(load_gpu_spec(row.gpu), kernel), row.blocks)
        << row.gpu << " " << row.threads << " " << row.registers << " " << row.shared_bytes;
  }
}

TEST(Occupancy, RefusesABlockThatFitsNoSm) {
  Kernel kernel = arithmetic(1);
  kernel.shared_bytes = 1 << 20;
  EXPECT_THROW(occupancy(plain_gpu(), kernel), Error);
}

TEST(SoloTime, OneWaveTakesTheTimeOfItsFullestSm) {
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), arithmetic(10)), 1);
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), arithmetic(11)), 2);
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), arithmetic(40)), 4);
}

TEST(SoloTime, FewWarpsDoNotFillAnSm) {
  Kernel kernel = arithmetic(10);
  kernel.saturation_warps = 8;
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), kernel), 2);
}

TEST(SoloTime, FillsOnceAndRefillsPerFurtherWave) {
  Kernel kernel = arithmetic(100);
  kernel.fill_us = 3;
  kernel.refill_us = 0.5;
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), kernel), 3 + 2 * 0.5 + 10);
}

TEST(SoloTime, MemoryBoundsWhatMovesBytes) {
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), copying(40)), 4);
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), copying(1)), 0.25);  // one SM draws four shares
  Kernel clumsy = copying(40);
  clumsy.efficiency = 0.5;
  EXPECT_DOUBLE_EQ(solo_us(plain_gpu(), clumsy), 8);
}

}  // namespace
}  // namespace braid::sim
