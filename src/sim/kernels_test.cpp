#include "sim/kernels.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace braid::sim {
namespace {

std::vector<Kernel> kernels_in(std::string_view gpu, std::string_view text,
                               const KernelOptions& options = {}) {
  const Graph graph = parse_graph(text, {});
  return kernels_of(load_gpu_spec(gpu), graph, graph.node_ids().front(), options);
}

constexpr std::string_view kPointwise =
    "x: f32[1,768,17,17]\ny: f32[1,192,17,17] = Conv(x, w: f32[192,768,1,1])";
constexpr std::string_view kSmall3x3 =
    "x: f32[1,96,35,35]\ny: f32[1,96,35,35] = Conv(x, w: f32[96,96,3,3]) pads=[1,1,1,1]";

TEST(Kernels, AConvolutionIsAMatrixProductInTiles) {
  KernelOptions options;
  options.library = ConvLibrary::CuDnn7;
  const auto kernels = kernels_in("v100", kPointwise, options);
  ASSERT_EQ(kernels.size(), 1);
  EXPECT_EQ(kernels[0].family, "conv_128x32");
  EXPECT_EQ(kernels[0].blocks, 3 * 6);  // 289 pixels by 128, 192 channels by 32
  EXPECT_DOUBLE_EQ(kernels[0].flops, 2.0 * 128 * 32 * 768);
}

TEST(Kernels, ADeepConvolutionOfFewBlocksIsCut) {
  const auto kernels = kernels_in("v100", kPointwise);
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[1].family, "split_k_reduce");
  EXPECT_GT(kernels[0].scratch_bytes, 0);
}

TEST(Kernels, OnlyWhatWasMeasuredIsCovered) {
  EXPECT_FALSE(kernels_in("v100", kPointwise)[0].covered);
  for (const Kernel& kernel : kernels_in("v100", kSmall3x3))
    EXPECT_TRUE(kernel.covered || kernel.family == "winograd_tiles") << kernel.family;
}

TEST(Kernels, A3x3ConvolutionTakesWinograd) {
  const auto kernels = kernels_in("v100", kSmall3x3);
  EXPECT_EQ(kernels[0].family.substr(0, 8), "winograd");
}

TEST(Kernels, ADepthwiseConvolutionHasItsOwn) {
  const auto kernels = kernels_in(
      "a100",
      "x: f32[1,64,20,20]\ny: f32[1,64,20,20] = Conv(x, w: f32[64,1,3,3]) pads=[1,1,1,1] "
      "group=64");
  ASSERT_EQ(kernels.size(), 1);
  EXPECT_EQ(kernels[0].family, "conv_depthwise");
  EXPECT_EQ(kernels[0].blocks, 64 * 400 / 256);
}

TEST(Kernels, AReshapeLaunchesNothing) {
  EXPECT_TRUE(kernels_in("a100", "x: f32[4,6]\ny: f32[24] = Flatten(x)").empty());
}

TEST(Kernels, ElementsGoFourToAThread) {
  const auto kernels = kernels_in("a100", "x: f32[1000,1000]\ny: f32[1000,1000] = Relu(x)");
  ASSERT_EQ(kernels.size(), 1);
  EXPECT_EQ(kernels[0].blocks, 1954);
  EXPECT_DOUBLE_EQ(kernels[0].l2_bytes * 1954, 8e6);
}

TEST(Kernels, SmallActivationsStayInL2) {
  EXPECT_EQ(kernels_in("a100", "x: f32[1000]\ny: f32[1000] = Relu(x)")[0].dram_bytes, 0);
  EXPECT_GT(kernels_in("a100", "x: f32[99000000]\ny: f32[99000000] = Relu(x)")[0].dram_bytes, 0);
}

TEST(Kernels, AProductWithOneRightSideIsOneTallProduct) {
  const auto kernels =
      kernels_in("a100", "x: f32[8,512,512]\ny: f32[8,512,512] = MatMul(x, w: f32[512,512])");
  double flops = 0;
  for (const Kernel& kernel : kernels) flops += kernel.flops * static_cast<double>(kernel.blocks);
  EXPECT_DOUBLE_EQ(flops, 2.0 * 8 * 512 * 512 * 512);
}

TEST(Kernels, OtherWaysAreSlowerAloneAndTheLibrarysComesFirst) {
  const Graph graph =
      parse_graph("x: f32[1,1024]\ny: f32[1,1024] = MatMul(x, w: f32[1024,1024])", {});
  const GpuSpec gpu = load_gpu_spec("a100");
  const Ways ways = ways_of(gpu, graph, NodeId(0));
  ASSERT_GT(ways.size(), 1);
  EXPECT_EQ(ways[0].size(), kernels_of(gpu, graph, NodeId(0)).size());
  for (std::size_t i = 1; i < ways.size(); ++i)
    EXPECT_GE(solo_us(gpu, ways[i]), solo_us(gpu, ways[i - 1]));
}

}  // namespace
}  // namespace braid::sim
