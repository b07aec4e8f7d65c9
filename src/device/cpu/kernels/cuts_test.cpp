#include <map>

#include <fmt/format.h>

#include "device/cpu/testing/kernels.h"
#include "ops/shared/epilogue.h"

/// Random convolutions and products, of sizes at which libraries change their kernels, in every way
/// and every cut.

namespace braid::cpu {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int percent) { return from(1, 100) <= percent; }
  /// Small numbers as often as large ones.
  std::int64_t size(std::int64_t most) {
    const double exponent = std::uniform_real_distribution<double>(0, 1)(random_);
    return std::max<std::int64_t>(1, std::llround(std::pow(static_cast<double>(most), exponent)));
  }
  Dims each(std::size_t count, std::int64_t low, std::int64_t high) {
    Dims dims;
    for (std::size_t i = 0; i < count; ++i) dims.push_back(from(low, high));
    return dims;
  }
  Tensor tensor(const Dims& dims) { return random_tensor(dims, random_); }

  /// A bias of that shape, a residual and an activation, or some of them.
  void epilogue(Case& c, const Dims& bias, const Dims& output) {
    c.inputs.resize(4);
    if (chance(50)) c.inputs[Epilogue::kBiasInput] = tensor(bias);
    if (chance(40)) c.inputs[Epilogue::kResidualInput] = tensor(output);
    const auto activation = static_cast<std::size_t>(from(0, 4));
    constexpr const char* names[] = {"", "", "relu", "silu", "gelu"};
    if (*names[activation] != '\0') c.attributes.set("activation", std::string(names[activation]));
  }

 private:
  std::mt19937 random_;
};

/// More would take the reference too long.
constexpr std::int64_t kMostTerms = 16'000'000;

Case draw_conv(Draw& draw) {
  const auto axes = static_cast<std::size_t>(draw.from(1, 3));
  const bool depthwise = draw.chance(15);
  const std::int64_t groups = depthwise ? draw.size(40) : draw.chance(25) ? draw.from(2, 4) : 1;
  const Dims kernel = draw.chance(30) ? Dims(axes, 1) : draw.each(axes, 1, axes == 3 ? 3 : 5);
  const Dims dilations = draw.chance(70) ? Dims(axes, 1) : draw.each(axes, 1, 3);
  const Dims pads = draw.chance(30) ? Dims(2 * axes, 0) : draw.each(2 * axes, 0, 3);
  const std::int64_t most_channels = axes == 3 ? 40 : 160;
  const std::int64_t in = depthwise ? 1 : draw.size(most_channels / groups);
  const std::int64_t out = depthwise ? draw.from(1, 2) : draw.size(most_channels / groups);
  Dims x = {draw.chance(70) ? 1 : draw.from(2, 3), in * groups};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    x.push_back(std::max<std::int64_t>(1, reach - pads[i] - pads[axes + i]) +
                draw.size(axes == 1   ? 200
                          : axes == 2 ? 24
                                      : 7) -
                1);
  }
  Dims w = {out * groups, in};
  w.insert(w.end(), kernel.begin(), kernel.end());
  Case c;
  c.op = "Conv";
  c.attributes = {{"group", groups}, {"dilations", dilations}, {"pads", pads}};
  c.attributes.set("strides", draw.chance(60) ? Dims(axes, 1) : draw.each(axes, 1, 3));
  c.inputs = {draw.tensor(x), draw.tensor(w)};
  c.constant = {false, draw.chance(70)};
  const Dims output = CaseRunner(c).output().dims;
  if (element_count(output) * in * element_count(kernel) > kMostTerms) return draw_conv(draw);
  draw.epilogue(c, {w[0]}, output);
  return c;
}

Case draw_product(Draw& draw) {
  const std::int64_t rows = draw.size(300);
  const std::int64_t depth = draw.size(draw.chance(20) ? 2500 : 300);
  const std::int64_t columns = draw.size(300);
  Case c;
  c.constant = {false, draw.chance(50)};
  if (draw.chance(40)) {
    const std::int64_t transposed_a = draw.from(0, 1);
    const std::int64_t transposed_b = draw.from(0, 1);
    c.op = "Gemm";
    c.attributes = {{"transA", transposed_a}, {"transB", transposed_b}};
    c.inputs = {draw.tensor(transposed_a != 0 ? Dims{depth, rows} : Dims{rows, depth}),
                draw.tensor(transposed_b != 0 ? Dims{columns, depth} : Dims{depth, columns})};
  } else {
    c.op = "MatMul";
    Dims a = draw.each(static_cast<std::size_t>(draw.from(0, 2)), 1, 3);
    Dims b = draw.chance(50) ? Dims{} : a;
    a.insert(a.end(), {rows, depth});
    b.insert(b.end(), {depth, columns});
    c.inputs = {draw.tensor(a), draw.tensor(b)};
  }
  const Dims output = CaseRunner(c).output().dims;
  if (element_count(output) * depth > kMostTerms) return draw_product(draw);
  draw.epilogue(c, {columns}, output);
  return c;
}

/// How many cuts each way offered.
using Offered = std::map<std::string, int>;

void check(const Case& c, Offered& offered) {
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  const LaneSettings settings;
  CaseRunner runner(c);
  // Sums are larger than what is left of them, and so is their rounding.
  constexpr double tolerance = 2e-5;
  constexpr double tolerance_of_transforms = 1e-4;
  for (const Way& way : every_way(runner.call())) {
    offered[way.implementation] += static_cast<int>(way.cuts.size());
    const Tensor got = runner.run_in_every_cut(way)[0];
    const bool exact = is_exact(way.implementation);
    EXPECT_EQ(difference(got, expected, exact ? tolerance : tolerance_of_transforms), "")
        << way.implementation << ": " << runner.describe_types();
  }
}

void check_all(Case (*draw_case)(Draw&), int count) {
  Offered offered;
  for (int seed = 1; seed <= count && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Draw draw(static_cast<unsigned>(seed));
    check(draw_case(draw), offered);
  }
  int cuts = 0;
  for (const auto& [way, count_of_way] : offered) {
    cuts += count_of_way;
    fmt::print("  {:<40} {} cuts\n", way, count_of_way);
  }
  EXPECT_GT(cuts, count / 4);
}

TEST(CutKernel, OfConvolutionsKeepsEveryBit) { check_all(draw_conv, is_full() ? 2000 : 150); }
TEST(CutKernel, OfProductsKeepsEveryBit) { check_all(draw_product, is_full() ? 2000 : 150); }

/// Parts read the packed weights of the whole, each its own piece; weights that are no constant are
/// packed in each call, and every part once read the first piece.
TEST(CutKernel, ByChannelsTakesItsPieceOfWeightsThatAreNoConstant) {
  for (const std::int64_t channels : {9, 17, 40}) {
    Draw draw(1);
    Case c;
    c.op = "Conv";
    c.inputs = {draw.tensor({1, 2, 5}), draw.tensor({channels, 2, 2})};
    Offered offered;
    check(c, offered);
  }
}

}  // namespace
}  // namespace braid::cpu
