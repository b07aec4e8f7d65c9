#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/picks.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {
namespace {

Dims pick_each(std::size_t count, std::int64_t low, std::int64_t high) {
  Dims dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back(pick(low, high));
  return dims;
}

/// Numbers for a test and how near results must be: exact on small integers, if no activation
/// leaves them.
struct Exactness {
  Numbers numbers;
  double tolerance;
};
Exactness pick_exactness(bool whole_numbers_stay_whole) {
  if (whole_numbers_stay_whole && *rc::gen::arbitrary<bool>()) return {Numbers::SmallIntegers, 0};
  return {Numbers::Real, 1e-5};
}
/// Sums are this much larger than what an activation leaves of them, and so is their rounding.
constexpr double kBeforeClipping = 8;

void add_epilogue(Case& c, const Dims& output, std::mt19937& random, Numbers numbers,
                  std::string_view activation) {
  if (*rc::gen::arbitrary<bool>()) {
    c.inputs.resize(4);
    c.inputs[Epilogue::kResidualInput] = random_tensor(output, random, numbers);
  }
  if (activation.empty()) return;
  c.attributes.set("activation", std::string(activation));
  if (activation == "clip") {
    c.attributes.set("activation_alpha", -0.5F);
    c.attributes.set("activation_beta", 1.0F);
  }
  if (activation == "leakyrelu") c.attributes.set("activation_alpha", 0.25F);
}

const std::vector<std::string> kActivations = [] {
  std::vector<std::string> names = activation_names();
  names.emplace_back();
  return names;
}();

/// Inputs too small for their window are thrown away by RapidCheck.
Case pick_conv(std::size_t axes, std::int64_t group_in, std::int64_t group_out, std::int64_t groups,
               const Exactness& exactness, std::string_view activation) {
  std::mt19937 random = pick_random();
  Case c;
  c.op = "Conv";
  Dims x = {pick(1, 2), group_in * groups};
  Dims w = {group_out * groups, group_in};
  const Dims kernel = pick_each(axes, 1, 4);
  const Dims dilations = pick_each(axes, 1, 3);
  const Dims pads = pick_each(2 * axes, 0, 3);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    x.push_back(std::max<std::int64_t>(1, reach - pads[i] - pads[axes + i]) + pick(0, 12));
  }
  w.insert(w.end(), kernel.begin(), kernel.end());
  c.attributes = {{"group", groups},
                  {"dilations", dilations},
                  {"pads", pads},
                  {"strides", pick_each(axes, 1, 3)}};
  c.inputs = {random_tensor(x, random, exactness.numbers),
              random_tensor(w, random, exactness.numbers)};
  c.constant = {false, *rc::gen::arbitrary<bool>()};
  if (*rc::gen::arbitrary<bool>())
    c.inputs.push_back(random_tensor({w[0]}, random, exactness.numbers));
  const Tensor plain = evaluate(c.op, c.attributes, c.inputs)[0];
  add_epilogue(c, plain.dims(), random, exactness.numbers, activation);
  return c;
}

void expect_equal(const Case& c, double tolerance) {
  std::string implementation;
  const std::string text = compare_with_evaluate(c, tolerance, &implementation);
  RC_TAG(implementation);
  if (!text.empty()) RC_FAIL(text);
}

bool stays_whole(std::string_view activation) { return activation.empty() || activation == "relu"; }

TEST(ConvKernel, EqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    const std::string activation = *rc::gen::elementOf(kActivations);
    const Exactness exactness = pick_exactness(stays_whole(activation));
    const std::int64_t groups = *rc::gen::element<std::int64_t>(1, 1, 2, 3);
    expect_equal(pick_conv(static_cast<std::size_t>(pick(1, 3)), pick(1, 20), pick(1, 20), groups,
                           exactness, activation),
                 exactness.tolerance);
  }));
}

TEST(ConvKernel, DepthwiseEqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const std::string activation = *rc::gen::elementOf(kActivations);
      const Exactness exactness = pick_exactness(stays_whole(activation));
      expect_equal(pick_conv(static_cast<std::size_t>(pick(1, 2)), 1, pick(1, 2), pick(2, 9),
                             exactness, activation),
                   exactness.tolerance);
    }));
  }
}

TEST(ConvKernel, InPanelsEqualsEvaluate) {
  int in_panels = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string activation = *rc::gen::elementOf(kActivations);
    const Exactness exactness = pick_exactness(stays_whole(activation));
    Case c = pick_conv(static_cast<std::size_t>(pick(1, 3)), pick(16, 40), pick(16, 140), 1,
                       exactness, activation);
    c.constant = {false, true};
    std::string used;
    const std::string text = compare_with_evaluate(c, kBeforeClipping * exactness.tolerance, &used);
    if (!text.empty()) RC_FAIL(text);
    if (used == "panels") ++in_panels;
  }));
  EXPECT_GE(in_panels, 20);
}

/// Panels are packed from the matrix that was turned; Gemm may turn it back.
TEST(MatMulKernel, ReadsAMatrixThatNobodyHasTurnedYet) {
  std::mt19937 random(1);
  const Tensor matrix = random_tensor({70, 150}, random);
  const auto turn = [&] { return evaluate("Transpose", {}, std::vector<Tensor>{matrix})[0]; };
  for (const std::int64_t turned_back : {0, 1}) {
    Case c;
    c.op = "Gemm";
    c.attributes = {{"transB", turned_back}};
    c.inputs = {random_tensor({40, turned_back != 0 ? 70 : 150}, random),
                Tensor::turned(matrix, turn)};
    c.constant = {false, true};
    prepare(CaseRunner(c).call()).make({});
    EXPECT_TRUE(c.inputs[1].is_promised());
    const KernelResult got = run_kernel(c);
    EXPECT_EQ(got.implementation, "panels");
    const Tensor expected =
        evaluate(c.op, c.attributes, std::vector<Tensor>{c.inputs[0], turn()})[0];
    EXPECT_EQ(difference(got.outputs[0], expected, 1e-5), "");
  }
}

/// A folded model has its weights once, as kernels pack them.
TEST(ConvKernel, PacksPromisedWeightsWithoutKeepingThem) {
  struct Row {
    const char* way;
    Dims x;
    Dims w;
    std::int64_t groups = 1;
  };
  std::mt19937 random(1);
  for (const Row& row : std::vector<Row>{{"panels", {1, 32, 9, 9}, {48, 32, 3, 3}},
                                         {"strassen", {1, 128, 8, 8}, {128, 128, 1, 1}},
                                         {"winograd4", {1, 32, 14, 14}, {32, 32, 3, 3}},
                                         {"winograd2", {1, 32, 14, 14}, {32, 32, 3, 3}},
                                         {"image", {1, 3, 20, 20}, {32, 3, 3, 3}},
                                         {"depthwise", {1, 32, 9, 9}, {32, 1, 3, 3}, 32},
                                         {"grouped", {1, 32, 9, 9}, {32, 8, 3, 3}, 4}}) {
    Tensor weights = random_tensor(row.w, random);
    Case c{.op = "Conv",
           .attributes = {{"group", row.groups}},
           .inputs = {random_tensor(row.x, random), weights},
           .constant = {false, true}};
    const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
    c.inputs[1] = Tensor::promised(weights.type(), [=] { return weights; });
    CaseRunner runner(c);
    KernelCall call = runner.call();
    call.inputs[0] = call.output = channels_last_order(4);
    const auto way = prepare_as(call, row.way);
    ASSERT_TRUE(way) << row.way;
    way->make({});
    EXPECT_TRUE(c.inputs[1].is_promised()) << row.way;
    EXPECT_EQ(difference(runner.run(*way, {}, 1)[0], expected, 1e-5), "") << row.way;
  }
}

TEST(ConvKernel, TakesPromisedWeightsThatAreNotFinite) {
  std::mt19937 random(2);
  Tensor weights = random_tensor({32, 32, 3, 3}, random);
  weights.mutable_data<float>()[100] = std::numeric_limits<float>::infinity();
  weights.mutable_data<float>()[5000] = std::numeric_limits<float>::quiet_NaN();
  Case c{.op = "Conv",
         .inputs = {random_tensor({1, 32, 14, 14}, random), weights},
         .constant = {false, true}};
  c.inputs[0].mutable_data<float>()[77] = 0;
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  c.inputs[1] = Tensor::promised(weights.type(), [=] { return weights; });
  CaseRunner runner(c);
  KernelCall call = runner.call();
  call.inputs[0] = call.output = channels_last_order(4);
  const auto way = prepare_as(call, "winograd4");
  ASSERT_TRUE(way);
  EXPECT_EQ(difference(runner.run(*way, {}, 1)[0], expected, 1e-5), "");
}

TEST(ConvKernel, OfOnePixelEqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random = pick_random();
      const std::string activation = *rc::gen::elementOf(kActivations);
      const Exactness exactness = pick_exactness(stays_whole(activation));
      const Dims x = {1, pick(1, 70), 1, 1};
      const Dims w = {pick(1, 200), x[1], 1, 1};
      Case c;
      c.op = "Conv";
      c.inputs = {random_tensor(x, random, exactness.numbers),
                  random_tensor(w, random, exactness.numbers)};
      c.constant = {false, true};
      add_epilogue(c, {1, w[0], 1, 1}, random, exactness.numbers, activation);
      std::string used;
      const std::string text = compare_with_evaluate(c, exactness.tolerance, &used);
      if (!text.empty()) RC_FAIL(text);
      RC_ASSERT(used == "panels");
    }));
  }
}

TEST(PoolKernel, EqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random = pick_random();
      const auto axes = static_cast<std::size_t>(pick(1, 3));
      const bool average = *rc::gen::arbitrary<bool>();
      const Dims kernel = pick_each(axes, 1, 5);
      const Dims dilations = pick_each(axes, 1, 2);
      Dims x = pick_each(2, 1, 3);
      Dims pads;
      for (std::size_t i = 0; i < 2 * axes; ++i) pads.push_back(pick(0, kernel[i % axes] - 1));
      for (std::size_t i = 0; i < axes; ++i)
        x.push_back((kernel[i] - 1) * dilations[i] + 1 + pick(0, 12));
      Case c;
      c.op = average ? "AveragePool" : "MaxPool";
      c.attributes = {{"kernel_shape", kernel},
                      {"dilations", dilations},
                      {"pads", pads},
                      {"ceil_mode", pick(0, 1)},
                      {"strides", pick_each(axes, 1, 3)}};
      if (average) c.attributes.set("count_include_pad", pick(0, 1));
      c.inputs = {random_tensor(x, random)};
      expect_equal(c, average ? 1e-6 : 0);
    }));
  }
}

TEST(PoolKernel, KeepsNaN) {
  Case c;
  c.op = "MaxPool";
  c.attributes = {{"kernel_shape", Dims{3, 3}}, {"pads", Dims{1, 1, 1, 1}}};
  std::mt19937 random(1);
  Tensor x = random_tensor({1, 1, 9, 9}, random);
  x.mutable_data<float>()[40] = std::nanf("");
  c.inputs = {x};
  EXPECT_EQ(compare_with_evaluate(c, 0), "");
}

TEST(PoolKernel, AveragesPaddingAloneToZero) {
  std::mt19937 random(1);
  const Case c{.op = "AveragePool",
               .attributes = {{"kernel_shape", Dims{2, 1}},
                              {"pads", Dims{0, 1, 0, 1}},
                              {"strides", Dims{3, 3}}},
               .inputs = {random_tensor({1, 2, 2, 4}, random)}};
  EXPECT_EQ(compare_with_evaluate(c, 1e-6), "");
}

TEST(GemmKernel, EqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const std::string activation = *rc::gen::elementOf(kActivations);
    const Exactness exactness = pick_exactness(stays_whole(activation));
    const std::int64_t m = pick(1, 20);
    const std::int64_t k = pick(1, 40);
    const std::int64_t n = pick(1, 40);
    const std::int64_t transpose_a = pick(0, 1);
    const std::int64_t transpose_b = pick(0, 1);
    Case c;
    c.op = "Gemm";
    c.attributes = {{"transA", transpose_a}, {"transB", transpose_b}};
    if (*rc::gen::arbitrary<bool>()) c.attributes.set("alpha", 2.0F);
    if (*rc::gen::arbitrary<bool>()) c.attributes.set("beta", 3.0F);
    c.inputs = {
        random_tensor(transpose_a != 0 ? Dims{k, m} : Dims{m, k}, random, exactness.numbers),
        random_tensor(transpose_b != 0 ? Dims{n, k} : Dims{k, n}, random, exactness.numbers)};
    const Dims bias =
        *rc::gen::elementOf(std::vector<Dims>{{m, n}, {n}, {1, n}, {m, 1}, {1, 1}, {1}, {}, {-1}});
    if (bias != Dims{-1}) c.inputs.push_back(random_tensor(bias, random, exactness.numbers));
    for (int i = 0; i < 3; ++i) c.constant.push_back(*rc::gen::arbitrary<bool>());
    add_epilogue(c, {m, n}, random, exactness.numbers, activation);
    expect_equal(c, exactness.tolerance);
  }));
}

TEST(GemmKernel, OfDeepMatricesEqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const std::string activation = *rc::gen::elementOf(kActivations);
    const Exactness exactness = pick_exactness(stays_whole(activation));
    const std::int64_t m = pick(1, 70);
    const std::int64_t k = pick(600, 1700);
    const std::int64_t n = *rc::gen::element<std::int64_t>(1, 17, 48, 63, 80, 96, 131);
    const std::int64_t transposed = pick(0, 1);
    Case c;
    c.op = "Gemm";
    c.attributes = {{"transB", transposed}};
    c.inputs = {random_tensor({m, k}, random, exactness.numbers),
                random_tensor(transposed != 0 ? Dims{n, k} : Dims{k, n}, random, exactness.numbers),
                random_tensor({n}, random, exactness.numbers)};
    c.constant = {false, true, false};
    add_epilogue(c, {m, n}, random, exactness.numbers, activation);
    std::string used;
    const std::string text = compare_with_evaluate(c, kBeforeClipping * exactness.tolerance, &used);
    if (!text.empty()) RC_FAIL(text);
    RC_ASSERT(used == "panels");
  }));
}

TEST(MatMulKernel, EqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const std::string activation = *rc::gen::elementOf(kActivations);
    const Exactness exactness = pick_exactness(stays_whole(activation));
    const Dims batch = pick_each(static_cast<std::size_t>(pick(0, 3)), 1, 3);
    const std::int64_t depth = pick(1, 40);
    const auto operand = [&](std::int64_t rows, std::int64_t columns, bool may_be_vector,
                             std::int64_t vector) {
      if (may_be_vector && pick(0, 5) == 0)
        return random_tensor({vector}, random, exactness.numbers);
      // Leading axes may be missing, and others repeated.
      Dims dims(batch.begin() + static_cast<std::ptrdiff_t>(pick(0, std::ssize(batch))),
                batch.end());
      for (std::int64_t& d : dims)
        if (pick(0, 3) == 0) d = 1;
      dims.insert(dims.end(), {rows, columns});
      return random_tensor(dims, random, exactness.numbers);
    };
    Case c;
    c.op = "MatMul";
    c.inputs = {operand(pick(1, 20), depth, true, depth), operand(depth, pick(1, 40), true, depth)};
    c.constant = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
    const Dims output = evaluate(c.op, c.attributes, c.inputs)[0].dims();
    if (*rc::gen::arbitrary<bool>()) {
      Dims bias(output.begin() + static_cast<std::ptrdiff_t>(pick(0, std::ssize(output))),
                output.end());
      for (std::int64_t& d : bias)
        if (pick(0, 2) == 0) d = 1;
      c.inputs.push_back(random_tensor(bias, random, exactness.numbers));
    }
    add_epilogue(c, output, random, exactness.numbers, activation);
    expect_equal(c, exactness.tolerance);
  }));
}

/// With AVX2, oneDNN's gemm gave other bits in parts whose matrices all meet the same one.
TEST(MatMulKernel, OfRepeatedMatricesHasTheSameBitsInEveryCut) {
  std::mt19937 random(1);
  for (std::int64_t rows = 5; rows <= 12; ++rows)
    for (const std::int64_t depth : {2, 3, 4, 7}) {
      Case c;
      c.op = "MatMul";
      c.inputs = {random_tensor({2, rows, depth}, random), random_tensor({2, 1, depth, 5}, random)};
      expect_equal(c, 1e-5);
    }
}

TEST(NormKernel, EqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_each(static_cast<std::size_t>(pick(1, 4)), 1, 9);
    const std::int64_t rank = std::ssize(dims);
    Case c;
    c.op = *rc::gen::element<std::string>("Softmax", "LogSoftmax", "LayerNormalization",
                                          "RMSNormalization", "BatchNormalization");
    c.inputs = {random_tensor(dims, random)};
    if (c.op == "BatchNormalization") {
      const std::int64_t channels = rank > 1 ? dims[1] : 1;
      for (int i = 0; i < 4; ++i) c.inputs.push_back(random_tensor({channels}, random));
      for (float& x : c.inputs[4].mutable_data<float>()) x = std::fabs(x) + 0.1F;
      if (pick(0, 1) == 1) c.attributes.set("activation", std::string("relu"));
    } else {
      const std::int64_t axis = pick(-rank, rank - 1);
      c.attributes.set("axis", axis);
      const Dims line(dims.begin() + (axis < 0 ? axis + rank : axis), dims.end());
      if (c.op == "LayerNormalization")
        for (std::int64_t i = pick(1, 2); i > 0; --i)
          c.inputs.push_back(random_tensor(line, random));
      if (c.op == "RMSNormalization") c.inputs.push_back(random_tensor(line, random));
    }
    expect_equal(c, 1e-5);
  }));
}

TEST(NormKernel, DividesLinesBySizeOnEveryInstructionSet) {
  std::mt19937 random(1);
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512})
    for (const std::int64_t size : {1, 15, 64, 333}) {
      const LimitedIsa limited(limit);
      const Case c{.op = "RMSNormalization",
                   .attributes = {{"epsilon", 0.5F}},
                   .inputs = {random_tensor({3, 5, size}, random), random_tensor({size}, random)}};
      std::string implementation;
      EXPECT_EQ(compare_with_evaluate(c, 1e-5, &implementation), "");
      EXPECT_EQ(implementation, "rms_norm");
    }
}

TEST(NormKernel, TakesAScaleForEachLine) {
  std::mt19937 random(1);
  const Case c{.op = "LayerNormalization",
               .inputs = {random_tensor({3, 3}, random), random_tensor({3, 1}, random)}};
  EXPECT_EQ(compare_with_evaluate(c, 1e-5), "");
  const Case rms{.op = "RMSNormalization", .inputs = c.inputs};
  EXPECT_EQ(compare_with_evaluate(rms, 1e-5), "");
}

}  // namespace
}  // namespace braid::cpu
