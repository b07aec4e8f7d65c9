#include <limits>
#include <map>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "ops/shared/epilogue.h"

/// NaN and infinities come out of every kernel, fused or not, as the definition of the operator
/// says; denormal numbers are zeros to it. oneDNN keeps to one instruction set as long as a process
/// lives, so the tests of its kernels run in a process for each (./test).

namespace braid::cpu {
namespace {

constexpr double kTolerance = 1e-4;

Tensor flushed(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  Tensor result = Tensor::uninitialised(tensor.type());
  std::ranges::transform(tensor.data<float>(), result.mutable_data<float>().begin(), [](float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
  });
  return result;
}

/// Empty if the kernel gives for the case what `evaluate` gives for zeros in place of denormals.
std::string compare_with_flushed(const Case& c) {
  std::vector<Tensor> inputs;
  std::ranges::transform(c.inputs, std::back_inserter(inputs), flushed);
  const Tensor expected = evaluate(c.op, c.attributes, inputs)[0];
  const KernelResult got = run_kernel(c);
  const std::string text = difference(got.outputs[0], expected, kTolerance);
  return text.empty() ? "" : c.op + " by " + got.implementation + ": " + text;
}

/// A convolution or product that does an activation.
struct Host {
  std::string name;
  std::string op;
  Dims x;
  Dims w;
  Attributes attributes = {};
  bool constant_weights = true;
};

[[maybe_unused]] void PrintTo(const Host& host, std::ostream* out) { *out << host.name; }

const std::vector<Host>& hosts() {
  static const std::vector<Host> all = {
      {"Conv3x3", "Conv", {1, 32, 7, 9}, {24, 32, 3, 3}, {{"pads", Dims{1, 1, 1, 1}}}},
      {"Conv1x1", "Conv", {1, 64, 6, 6}, {40, 64, 1, 1}},
      {"ConvOfOnePixel", "Conv", {1, 40, 1, 1}, {24, 40, 1, 1}},
      {"ConvOfThreeChannels", "Conv", {1, 3, 19, 19}, {16, 3, 3, 3}, {{"strides", Dims{2, 2}}}},
      {"ConvOfFewChannels", "Conv", {2, 7, 9, 9}, {5, 7, 1, 1}},
      {"ConvOfNoConstant", "Conv", {1, 17, 9, 9}, {31, 17, 3, 3}, {}, false},
      {"Depthwise",
       "Conv",
       {1, 32, 9, 9},
       {32, 1, 3, 3},
       {{"group", 32}, {"pads", Dims{1, 1, 1, 1}}}},
      {"DepthwiseOfOddWidth", "Conv", {1, 13, 9, 9}, {13, 1, 3, 3}, {{"group", 13}}},
      {"DepthwiseWithMultiplier", "Conv", {1, 6, 9, 9}, {12, 1, 3, 3}, {{"group", 6}}},
      {"DepthwiseOfManyTaps",
       "Conv",
       {1, 20, 9, 9},
       {20, 1, 5, 5},
       {{"group", 20}, {"pads", Dims{2, 1, 2, 3}}, {"strides", Dims{2, 1}}}},
      {"GroupedByFour",
       "Conv",
       {1, 32, 9, 9},
       {32, 4, 3, 3},
       {{"group", 8}, {"pads", Dims{1, 1, 1, 1}}}},
      {"GroupedBy16",
       "Conv",
       {1, 48, 7, 7},
       {48, 16, 3, 3},
       {{"group", 3}, {"pads", Dims{1, 1, 1, 1}}, {"strides", Dims{2, 2}}}},
      {"Grouped", "Conv", {1, 32, 9, 9}, {32, 8, 3, 3}, {{"group", 4}}},
      {"GroupedOddly", "Conv", {1, 12, 9, 9}, {15, 4, 3, 3}, {{"group", 3}}},
      {"Dilated", "Conv", {1, 12, 11, 11}, {20, 12, 3, 3}, {{"dilations", Dims{2, 3}}}},
      {"Conv1D", "Conv", {1, 16, 30}, {24, 16, 3}},
      {"Conv3D", "Conv", {1, 4, 6, 6, 6}, {8, 4, 2, 3, 2}},
      {"Gemm", "Gemm", {9, 40}, {40, 33}},
      {"GemmOfNoConstant", "Gemm", {9, 40}, {40, 33}, {}, false},
      {"GemmOfOneRow", "Gemm", {1, 300}, {300, 10}, {}, false},
      {"MatMul", "MatMul", {2, 5, 24}, {24, 31}},
      {"MatMulOfBatches", "MatMul", {3, 6, 24}, {3, 24, 18}, {}, false},
      {"MatMulOfBroadcastBatches", "MatMul", {2, 3, 8, 16}, {3, 16, 24}, {}, false},
  };
  return all;
}

Attributes with_activation(Attributes attributes, const std::string& activation) {
  attributes.set("activation", activation);
  if (activation == "clip") {
    attributes.set("activation_alpha", -0.5F);
    attributes.set("activation_beta", 1.0F);
  }
  return attributes;
}

/// The host on special numbers without an activation.
Case plain_case(const Host& host, bool residual) {
  std::mt19937 random(1);
  Case c;
  c.op = host.op;
  c.attributes = host.attributes;
  c.inputs = {special_tensor(host.x, random, 0.01), random_tensor(host.w, random)};
  c.constant = {false, host.constant_weights};
  const Dims output = evaluate(c.op, c.attributes, c.inputs)[0].dims();
  if (!residual) return c;
  c.inputs.push_back(random_tensor({host.op == "Conv" ? output[1] : output.back()}, random));
  c.inputs.push_back(special_tensor(output, random, 0.01));
  return c;
}

Tensor activated(const Tensor& x, const Attributes& attributes) {
  const Epilogue epilogue = read_epilogue(attributes);
  Tensor y = Tensor::uninitialised(x.type());
  std::ranges::transform(x.data<float>(), y.mutable_data<float>().begin(),
                         [&](float element) { return epilogue.activate(element); });
  return y;
}

/// The plain results by implementation.
std::map<std::string, Tensor> plain_results(const Case& c) {
  std::map<std::string, Tensor> results;
  CaseRunner runner(c);
  for (const Way& way : every_way(runner.call()))
    results[way.implementation] = runner.run(way, {}, 1)[0];
  return results;
}

void expect_as_apart(const Host& host, bool residual) {
  const LaneSettings settings;
  const Case plain = plain_case(host, residual);
  const std::map<std::string, Tensor> sums = plain_results(plain);
  for (const std::string& activation : activation_names()) {
    Case fused = plain;
    fused.attributes = with_activation(plain.attributes, activation);
    CaseRunner runner(fused);
    for (const Way& way : every_way(runner.call())) {
      const auto same_way = sums.find(way.implementation);
      const Tensor& sum = same_way != sums.end() ? same_way->second : sums.begin()->second;
      const Tensor expected = activated(sum, fused.attributes);
      const Tensor whole = runner.run(way, {}, 1)[0];
      const std::string where = host.name + (residual ? " with residual, " : ", ") + activation +
                                " by " + way.implementation;
      EXPECT_EQ(difference(whole, expected, kTolerance), "") << where;
      for (const Cut& cut : way.cuts)
        EXPECT_TRUE(same_numbers(runner.run(way, cut, 2)[0], whole)) << where << ", cut";
    }
  }
}

class SpecialNumbers : public testing::TestWithParam<Host> {};

TEST_P(SpecialNumbers, ComeOutOfAFusedActivationAsOfOneApart) {
  for (const bool residual : {false, true}) expect_as_apart(GetParam(), residual);
}

TEST_P(SpecialNumbers, ComeOutOfAFusedActivationAsOfOneApartOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2}) {
    const LimitedIsa limited(limit);
    expect_as_apart(GetParam(), true);
  }
}

/// A weight meets no padding in kernels of our own, as it is evaluated.
TEST(SpecialNumbersOfKernels, ComeOutOfConvolutionsInGroupsAsTheyAreEvaluated) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    std::mt19937 random(3);
    int own = 0;
    for (const Host& host : hosts()) {
      Case c = plain_case(host, true);
      const std::string way = run_kernel(c).implementation;
      if (way != "depthwise" && way != "grouped") continue;
      c.inputs[1] = special_tensor(host.w, random, 0.01);
      EXPECT_EQ(compare_with_flushed(c), "") << host.name;
      ++own;
    }
    EXPECT_GE(own, isa() == Isa::Baseline ? 3 : 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, SpecialNumbers, testing::ValuesIn(hosts()),
                         [](const auto& host) { return host.param.name; });

/// Cases of operators whose kernels are no convolutions and no products.
std::vector<Case> other_cases() {
  std::mt19937 random(2);
  const auto special = [&](Dims dims) { return special_tensor(std::move(dims), random, 0.03); };
  const auto some = [&](Dims dims) { return random_tensor(std::move(dims), random); };
  const Tensor variance = Tensor::of<float>({5}, {1, 2, 0.5F, 1, 4});
  std::vector<Case> cases;
  for (const std::int64_t length : {5, 17, 100})
    for (const std::string op : {"Softmax", "LogSoftmax"}) {
      Tensor x = special({30, length});
      std::ranges::fill(x.mutable_data<float>().first(static_cast<std::size_t>(length)),
                        -std::numeric_limits<float>::infinity());
      cases.push_back({.op = op, .inputs = {x}});
      cases.push_back({.op = op, .attributes = {{"axis", 1}}, .inputs = {special({4, length, 6})}});
    }
  for (const char* activation : {"", "relu"}) {
    Case c{.op = "BatchNormalization",
           .inputs = {special({2, 5, 7, 7}), some({5}), some({5}), some({5}), variance}};
    if (*activation != 0) c.attributes.set("activation", std::string(activation));
    cases.push_back(c);
  }
  for (const std::int64_t length : {5, 64, 100}) {
    cases.push_back({.op = "LayerNormalization",
                     .inputs = {special({40, length}), some({length}), some({length})}});
    cases.push_back({.op = "RMSNormalization", .inputs = {special({40, length}), some({length})}});
  }
  cases.push_back({.op = "RotaryEmbedding",
                   .inputs = {special({2, 3, 5, 18}), special({2, 5, 9}), special({2, 5, 9})}});
  for (const std::string op : {"MaxPool", "AveragePool"})
    cases.push_back({.op = op,
                     .attributes = {{"kernel_shape", Dims{3, 3}}, {"pads", Dims{1, 1, 1, 1}}},
                     .inputs = {special({1, 19, 9, 9})}});
  cases.push_back({.op = "GlobalAveragePool", .inputs = {special({4, 33, 5, 5})}});
  for (const std::string& op : unary_steps())
    cases.push_back({.op = op, .inputs = {special({3, 333})}});
  cases.push_back(
      {.op = "Gelu", .attributes = {{"approximate", "tanh"}}, .inputs = {special({999})}});
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Sum"})
    cases.push_back({.op = op, .inputs = {special({9, 77}), special({77})}});
  cases.push_back({.op = "PRelu", .inputs = {special({9, 77}), special({77})}});
  cases.push_back({.op = "Shrink",
                   .attributes = {{"bias", 0.25F}, {"lambd", 0.5F}},
                   .inputs = {special({999})}});
  // The library's fmod() and pow() know denormals from zero.
  cases.push_back({.op = "Mod",
                   .attributes = {{"fmod", 1}},
                   .inputs = {flushed(special({9, 77})), flushed(special({77}))}});
  cases.push_back({.op = "Pow", .inputs = {flushed(special({9, 77})), flushed(special({77}))}});
  cases.push_back(
      {.op = "Clip", .inputs = {special({999}), Tensor::scalar(-0.5F), Tensor::scalar(0.5F)}});
  return cases;
}

TEST(SpecialNumbersOfKernels, ComeOutOfKernelsAsTheyAreEvaluatedOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    for (const Case& c : other_cases()) EXPECT_EQ(compare_with_flushed(c), "");
  }
}

TEST(SpecialNumbersOfKernels, ComeOutOfKernelsAsTheyAreEvaluated) {
  for (const Case& c : other_cases()) EXPECT_EQ(compare_with_flushed(c), "");
}

}  // namespace
}  // namespace braid::cpu
