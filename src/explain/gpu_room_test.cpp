#include "explain/gpu_room.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(FillingOf, NamesWhatRunsOutFirst) {
  const sim::GpuSpec gpu = sim::load_gpu_spec("a100");
  const Filling threads = filling_of(gpu, {216, 1024, 16, 0});
  EXPECT_EQ(threads.blocks_per_sm, 2);
  EXPECT_EQ(threads.limit, Room::Threads);
  EXPECT_DOUBLE_EQ(threads.fills, 1);
  EXPECT_EQ(filling_of(gpu, {1, 256, 255, 0}).limit, Room::Registers);
  EXPECT_EQ(filling_of(gpu, {1, 128, 32, 96 * 1024}).limit, Room::SharedMemory);
  EXPECT_EQ(filling_of(gpu, {1, 32, 16, 0}).limit, Room::Blocks);
  EXPECT_LT(filling_of(gpu, {1, 32, 16, 0}).fills, 0.01);
}

}  // namespace
}  // namespace braid
