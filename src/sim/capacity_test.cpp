#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/text.h"
#include "sim/engine.h"
#include "sim/kernels.h"
#include "sim/plan_launches.h"
#include "sim/testing/capacities.h"
#include "sim/testing/gpu.h"

namespace braid::sim {
namespace {

/// Kernels are chosen by the closed form of their time; the engine may find another one faster.
constexpr double kChoice = 0.15;
/// One SM more may leave the last blocks of a kernel less evenly spread.
constexpr double kTail = 0.02;
constexpr double kNothing = 1e-9;

std::string random_convolution() {
  const int kernel = 1 + 2 * *rc::gen::inRange(0, 3);
  const int channels = 4 * *rc::gen::inRange(1, 128);
  const int outputs = 4 * *rc::gen::inRange(1, 128);
  const int size = *rc::gen::inRange(kernel, 80);
  const int stride = *rc::gen::inRange(1, 3);
  const bool depthwise = *rc::gen::inRange(0, 5) == 0;
  const int made = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  return fmt::format(
      "x: f32[1,{0},{2},{2}]\ny: f32[1,{1},{3},{3}] = Conv(x, w: f32[{1},{4},{5},{5}]) "
      "pads=[{6},{6},{6},{6}] strides=[{7},{7}] group={8}",
      channels, depthwise ? channels : outputs, size, made, depthwise ? 1 : channels, kernel,
      kernel / 2, stride, depthwise ? channels : 1);
}

std::string random_product() {
  return fmt::format("x: f32[{0},{1}]\ny: f32[{0},{2}] = MatMul(x, w: f32[{1},{2}])",
                     *rc::gen::inRange(1, 512), *rc::gen::inRange(1, 1024),
                     *rc::gen::inRange(1, 1024));
}

std::string random_copy() {
  return fmt::format("x: f32[{0}]\ny: f32[{0}] = Relu(x)", *rc::gen::inRange(1, 4'000'000));
}

std::string random_operator() {
  const int kind = *rc::gen::inRange(0, 10);
  return kind < 6 ? random_convolution() : kind < 9 ? random_product() : random_copy();
}

std::vector<Kernel> kernels_on(const GpuSpec& gpu, const Graph& graph) {
  return kernels_of(gpu, graph, graph.node_ids().front(), options_for(gpu, graph, {}));
}

double time_on(const GpuSpec& gpu, const std::vector<Kernel>& kernels) {
  std::vector<Launch> launches;
  for (const Kernel& kernel : kernels) launches.push_back(launch_of(kernel));
  return simulate(gpu, launches).time_us;
}

struct Draw {
  Graph graph;
  GpuSpec gpu;
  Capacity capacity;
  GpuSpec larger;
};

Draw random_draw() {
  static const std::vector<GpuSpec> gpus = [] {
    std::vector<GpuSpec> all;
    for (const std::string& name : gpu_names()) all.push_back(load_gpu_spec(name));
    return all;
  }();
  Draw draw{parse_graph(random_operator(), {}),
            *rc::gen::elementOf(gpus),
            *rc::gen::elementOf(std::vector<Capacity>(kCapacities.begin(), kCapacities.end())),
            {}};
  draw.larger = draw.capacity.raised(draw.gpu, 1 + *rc::gen::inRange(1, 300) / 100.0);
  RC_LOG() << draw.gpu.name << " with more of " << draw.capacity.name << ": " << print(draw.graph);
  return draw;
}

RC_GTEST_PROP(MoreOfAnything, IsNotSlowerForTheSameKernels, ()) {
  const Draw draw = random_draw();
  const std::vector<Kernel> kernels = kernels_on(draw.gpu, draw.graph);
  const bool spread = draw.larger.sms != draw.gpu.sms;
  RC_ASSERT(time_on(draw.larger, kernels) <=
            time_on(draw.gpu, kernels) * (1 + (spread ? kTail : kNothing)));
}

RC_GTEST_PROP(MoreOfAnything, IsNotSlowerForTheKernelsThatAreChosenThere, ()) {
  const Draw draw = random_draw();
  RC_ASSERT(time_on(draw.larger, kernels_on(draw.larger, draw.graph)) <=
            time_on(draw.gpu, kernels_on(draw.gpu, draw.graph)) * (1 + kChoice));
}

}  // namespace
}  // namespace braid::sim
