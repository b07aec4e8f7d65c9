#include "sim/conv_answers.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "ops/call.h"
#include "sim/conv_ways.h"
#include "sim/gpu_spec.h"

namespace braid::sim {
namespace {

constexpr std::string_view kText =
    "x: f32[1,64,14,14]\n"
    "y: f32[1,96,7,7] = Conv(x, w: f32[96,64,3,3]) pads=[1,1,1,1] strides=[2,2]";
constexpr std::string_view kKey = "1x64x14x14 96x64x3x3 pads=1,1,1,1 strides=2,2 dilations=1,1";

ConvAnswers answers(std::string_view words) {
  return parse_conv_answers(
      R"({"format": "braid-cudnn-answers", "version": 1, "gpu": "a100", "cudnn": "9.1.0",
          "convolutions": {")" +
          std::string(kKey) + R"(": )" + std::string(words) + "}}",
      "test");
}

KernelOptions asked() {
  KernelOptions options;
  options.answers = true;
  return options;
}

std::vector<std::string> families(const GpuSpec& gpu, const KernelOptions& options = asked()) {
  const Graph graph = parse_graph(kText, {});
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_of(gpu, graph, graph.node_ids().front(), options))
    names.push_back(kernel.family);
  return names;
}

GpuSpec a100_with(std::string_view words) {
  GpuSpec gpu = load_gpu_spec("a100");
  gpu.conv_answers = std::make_shared<const ConvAnswers>(answers(words));
  return gpu;
}

GpuSpec by_rules() {
  GpuSpec gpu = load_gpu_spec("a100");
  gpu.conv_answers = nullptr;
  return gpu;
}

using Names = std::vector<std::string>;

TEST(ConvAnswers, AreFoundByTheConvolution) {
  const Graph graph = parse_graph(kText, {});
  const Node& node = graph.node(graph.node_ids().front());
  EXPECT_EQ(conv_key(conv_geometry(call_of(graph, node))), kKey);
}

TEST(ConvAnswers, DecideAboutKernels) {
  EXPECT_EQ(families(a100_with(R"(["conv_32x32"])")), Names{"conv_32x32"});
  EXPECT_EQ(families(a100_with(R"(["conv_128x64", "conv_32x32"])")),
            (Names{"conv_offsets", "conv_128x64"}));
}

TEST(ConvAnswers, ChangeLayoutsBeforeAndAfter) {
  EXPECT_EQ(families(a100_with(R"(["conv_128x32_sliced+xwy"])")),
            (Names{"layout_change", "layout_change", "conv_offsets", "conv_128x32_sliced",
                   "layout_change"}));
  EXPECT_EQ(families(a100_with(R"(["conv_128x32_sliced+x"])")),
            (Names{"layout_change", "conv_offsets", "conv_128x32_sliced"}));
}

TEST(ConvAnswers, OfTensorCoresCountOnlyWhereTheyAreAllowed) {
  const GpuSpec gpu = a100_with(R"(["tf32", "conv_32x32"])");
  EXPECT_EQ(families(gpu), families(by_rules()));
  KernelOptions options = asked();
  options.precision = Precision::Tf32;
  EXPECT_EQ(families(gpu, options)[0].substr(0, 4), "tf32");
}

TEST(ConvAnswers, ThatCannotBeRunLeaveItToTheRules) {
  EXPECT_EQ(families(a100_with(R"(["something", "conv_32x32"])")), families(by_rules()));
}

TEST(ConvAnswers, CountOnlyWhereTheyAreAskedFor) {
  EXPECT_EQ(families(a100_with(R"(["conv_128x32_sliced"])"), {}), families(by_rules()));
}

TEST(ConvAnswers, ThatComeWithBraidNameWhatThereIs) {
  for (const std::string& name : gpu_names()) {
    const GpuSpec gpu = load_gpu_spec(name);
    if (!gpu.conv_answers) continue;
    EXPECT_GT(gpu.conv_answers->convolutions.size(), 100) << name;
    for (const auto& [key, choices] : gpu.conv_answers->convolutions)
      for (const ConvChoice& choice : choices)
        EXPECT_TRUE(choice.kernels == "tf32" || choice.kernels == "winograd_in_steps" ||
                    gpu.families.contains(choice.kernels))
            << name << " " << key << ": " << choice.kernels;
  }
}

TEST(ConvAnswers, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(answers(R"(["conv_32x32+q"])"), Error);
  EXPECT_THROW(answers(R"("conv_32x32")"), Error);
  EXPECT_THROW(parse_conv_answers(R"({"format": "braid-gpu"})", "test"), Error);
}

}  // namespace
}  // namespace braid::sim
