#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/sim/sim_device.h"
#include "ops/builder.h"
#include "ops/testing/case.h"
#include "schedule/schedulers.h"
#include "sim/ensemble.h"
#include "sim/plan_launches.h"

/// Pairs of graphs that compute the same: a model that prices one of them far below the other has a
/// hole, and an optimiser finds it.

namespace braid::sim {
namespace {

const int kShapes = is_full() ? 200 : 60;
constexpr double kMostGain = 1.10;
constexpr double kMedianGain = 0.02;

struct Pair {
  std::string plain;
  std::string rewritten;
};

class Shapes {
 public:
  explicit Shapes(std::uint32_t seed) : random_(seed) {}

  int below(int least, int end) {
    return std::uniform_int_distribution<int>(least, end - 1)(random_);
  }
  /// As networks have them: multiples of 8 mostly.
  int channels() { return below(0, 4) == 0 ? below(8, 1024) : 8 * below(2, 129); }
  int pixels() { return below(5, 57); }
  int kernel() { return below(0, 2) == 0 ? 1 : 3; }

 private:
  std::mt19937 random_;
};

std::string conv(int in, int out, int kernel) {
  return fmt::format("Conv(x, w: f32[{},{},{},{}]) pads=[{},{},{},{}]", out, in, kernel, kernel,
                     kernel / 2, kernel / 2, kernel / 2, kernel / 2) +
         fmt::format(" kernel_shape=[{},{}]", kernel, kernel);
}

Pair pointwise_or_product(Shapes& shapes) {
  const int in = shapes.channels();
  const int out = shapes.channels();
  const int size = shapes.pixels();
  return {fmt::format("x: f32[1,{},{},{}]\ny = {}", in, size, size, conv(in, out, 1)),
          fmt::format("x: f32[{},{}]\ny = MatMul(x, w: f32[{},{}])", size * size, in, in, out)};
}

Pair padded_channels(Shapes& shapes) {
  const int in = shapes.channels();
  const int out = shapes.channels();
  const int size = shapes.pixels();
  const int kernel = shapes.kernel();
  const int more_in = in + shapes.below(0, 9);
  const int more_out = out + shapes.below(more_in == in ? 1 : 0, 9);
  return {fmt::format("x: f32[1,{},{},{}]\ny = {}", in, size, size, conv(in, out, kernel)),
          fmt::format("x: f32[1,{},{},{}]\ny = {}", more_in, size, size,
                      conv(more_in, more_out, kernel))};
}

Pair cut_and_joined(Shapes& shapes) {
  const int in = shapes.channels();
  const int out = shapes.channels() + 16;
  const int size = shapes.pixels();
  const int kernel = shapes.kernel();
  const int first = out / 2;
  const auto half = [&](const char* name, int channels) {
    std::string text = conv(in, channels, kernel);
    text.replace(text.find("w:"), 2, fmt::format("w{}:", name));
    return fmt::format("{} = {}\n", name, text);
  };
  const std::string head = fmt::format("x: f32[1,{},{},{}]\n", in, size, size);
  return {head + "y = " + conv(in, out, kernel),
          head + half("a", first) + half("b", out - first) + "y = Concat(a, b) axis=1"};
}

class EqualGraphs : public testing::TestWithParam<std::string> {
 protected:
  const std::unique_ptr<Device> device = make_device(GetParam());
  const GpuSpec gpu = gpu_of(GetParam());
  const KernelOptions options = kernel_options_of(GetParam());

  /// One operator after another in the nominal model: what the kernels are thought to take.
  double time_us(const std::string& text) const {
    const Graph lowered = device->lower(parse(text), device->modelled_costs());
    const Plan plan = schedule("sequential", lowered, device->modelled_costs(), device->spec(), {});
    const NodeKernels kernels = node_kernels(gpu, lowered, options);
    return simulator_of(gpu, kernels.kernels, 0).time_us(slots_of(kernels, plan).slots);
  }

  void expect_no_hole(Pair (*draw)(Shapes&), std::uint32_t seed, bool both_ways) const {
    Shapes shapes(seed);
    std::vector<double> gains;
    for (int i = 0; i < kShapes; ++i) {
      const Pair pair = draw(shapes);
      const double gain = time_us(pair.plain) / time_us(pair.rewritten);
      gains.push_back(gain);
      EXPECT_LE(gain, kMostGain) << pair.plain << "\nbecomes\n" << pair.rewritten;
      if (both_ways) {
        EXPECT_GE(gain, 1 / kMostGain) << pair.plain << "\nbecomes\n" << pair.rewritten;
      }
    }
    std::ranges::sort(gains);
    const double median = gains[gains.size() / 2];
    EXPECT_LE(median, 1 + kMedianGain) << "seed " << seed;
    if (both_ways) {
      EXPECT_GE(median, 1 - kMedianGain) << "seed " << seed;
    }
  }
};

TEST_P(EqualGraphs, APointwiseConvolutionCostsWhatItsProductCosts) {
  expect_no_hole(pointwise_or_product, 1, true);
}

TEST_P(EqualGraphs, PaddedChannelsAreNotFaster) { expect_no_hole(padded_channels, 2, false); }

TEST_P(EqualGraphs, AConvolutionCutInTwoIsNotFaster) { expect_no_hole(cut_and_joined, 3, false); }

INSTANTIATE_TEST_SUITE_P(OfGpus, EqualGraphs, testing::ValuesIn(gpu_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace braid::sim
