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
  const auto kernels = kernels_in("v100",
                                  "x: f32[8,256,57,57]\ny: f32[8,256,28,28] = Conv(x, w: "
                                  "f32[256,256,3,3]) strides=[2,2]");
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].family, "conv_offsets");
  EXPECT_EQ(kernels[1].family, "conv_128x64");
  EXPECT_EQ(kernels[1].blocks, 49 * 4);  // 6272 pixels by 128, 256 channels by 64
  EXPECT_DOUBLE_EQ(kernels[1].flops, 2.0 * 128 * 64 * 9 * 256);
}

std::vector<std::string> families(const std::vector<Kernel>& kernels) {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels) names.push_back(kernel.family);
  return names;
}

TEST(Kernels, APointwiseConvolutionMayBeTheProductThatItEquals) {
  for (const std::string& gpu : gpu_names()) {
    const auto product =
        families(kernels_in(gpu, "x: f32[289,768]\ny: f32[289,192] = MatMul(x, w: f32[768,192])"));
    EXPECT_EQ(families(kernels_in(gpu, kPointwise, {.pointwise_products = true})), product) << gpu;
    EXPECT_NE(families(kernels_in(gpu, kPointwise)), product) << gpu;
  }
}

TEST(Kernels, WeightsThatNameNoWayLeaveAllOfThem) {
  GpuSpec gpu = load_gpu_spec("a100");
  for (auto& [kind, choice] : gpu.choices) choice.weights = {{"something", 1.0}};
  for (const std::string_view text :
       {kSmall3x3, std::string_view("x: f32[9,64]\ny: f32[9,64] = MatMul(x, w: f32[64,64])")}) {
    const Graph graph = parse_graph(text, {});
    EXPECT_FALSE(kernels_of(gpu, graph, graph.node_ids().front()).empty());
  }
}

TEST(Kernels, NoFloat32ConvolutionIsCutAlongItsDepth) {
  for (const std::string& gpu : gpu_names())
    for (const char* text :
         {"x: f32[1,768,7,7]\ny: f32[1,32,7,7] = Conv(x, w: f32[32,768,3,3]) pads=[1,1,1,1]",
          "x: f32[1,768,7,7]\ny: f32[1,32,4,4] = Conv(x, w: f32[32,768,3,3]) pads=[1,1,1,1] "
          "strides=[2,2]"})
      for (const Kernel& kernel : kernels_in(gpu, text))
        EXPECT_NE(kernel.family, "split_k_reduce") << gpu << ": " << text;
}

TEST(Kernels, AMatrixTimesAVectorIsBoundByMemory) {
  const auto kernels =
      kernels_in("a100", "x: f32[1,4096]\ny: f32[1,4096] = MatMul(x, w: f32[4096,4096])");
  ASSERT_EQ(families(kernels), std::vector<std::string>{"gemv"});
  const GpuSpec gpu = load_gpu_spec("a100");
  const double reading_us = 4.0 * 4096 * 4096 / gpu.dram_bytes_per_us;
  EXPECT_GT(solo_us(gpu, kernels), reading_us);
  EXPECT_LT(solo_us(gpu, kernels), 1.5 * reading_us);
}

/// TASO's measurements of 512 channels, 28x28, 3x3 on a V100, in microseconds, by groups.
TEST(Kernels, GroupedConvolutionsTakeAsLongAsTasoMeasured) {
  const std::vector<std::pair<int, double>> published = {{1, 269}, {2, 150},  {4, 124},
                                                         {8, 112}, {16, 167}, {32, 304}};
  const GpuSpec gpu = load_gpu_spec("v100");
  std::vector<double> times;
  for (const auto& [groups, us] : published) {
    const auto kernels =
        kernels_in("v100", "x: f32[1,512,28,28]\ny: f32[1,512,28,28] = Conv(x, w: f32[512," +
                               std::to_string(512 / groups) +
                               ",3,3]) pads=[1,1,1,1] group=" + std::to_string(groups));
    times.push_back(solo_us(gpu, kernels));
    EXPECT_NEAR(times.back() / us, 1, 0.3) << groups << " groups: " << times.back() << " us";
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t j = 0; j < times.size(); ++j)
      EXPECT_EQ(times[i] < times[j], published[i].second < published[j].second) << i << ", " << j;
}

TEST(Kernels, OnlyWhatWasMeasuredIsCovered) {
  const std::string_view strided =
      "x: f32[1,96,35,35]\ny: f32[1,96,17,17] = Conv(x, w: f32[96,96,3,3]) strides=[2,2]";
  EXPECT_FALSE(kernels_in("v100", strided).back().covered);
  for (const Kernel& kernel : kernels_in("v100", kSmall3x3))
    EXPECT_TRUE(kernel.covered || kernel.family == "winograd_tiles" ||
                kernel.family == "conv_offsets")
        << kernel.family;
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
      parse_graph("x: f32[8,1024]\ny: f32[8,1024] = MatMul(x, w: f32[1024,1024])", {});
  const GpuSpec gpu = load_gpu_spec("a100");
  const Ways ways = ways_of(gpu, graph, NodeId(0));
  ASSERT_GT(ways.size(), 1);
  EXPECT_EQ(ways[0].size(), kernels_of(gpu, graph, NodeId(0)).size());
  for (std::size_t i = 1; i < ways.size(); ++i)
    EXPECT_GE(solo_us(gpu, ways[i]), solo_us(gpu, ways[i - 1]));
}

}  // namespace
}  // namespace braid::sim
