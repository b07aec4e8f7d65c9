#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/strassen_product.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {
namespace {

constexpr double kNearProduct = 2e-5;
/// Sums are this much larger than what a clip leaves of them, and so is their rounding.
constexpr double kNearClipped = 1e-4;
constexpr Isa kSetsOfStrassen[] = {Isa::Baseline, Isa::Avx2, Isa::Avx512};

struct ProductShape {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

Case product_of(const ProductShape& shape, std::mt19937& random) {
  return {.op = "MatMul",
          .attributes = {},
          .inputs = {random_tensor({shape.rows, shape.depth}, random),
                     random_tensor({shape.depth, shape.columns}, random)},
          .constant = {false, true}};
}

Case convolution_of(const Dims& x, std::int64_t out_channels, std::mt19937& random) {
  return {.op = "Conv",
          .attributes = {},
          .inputs = {random_tensor(x, random), random_tensor({out_channels, x[1], 1, 1}, random)},
          .constant = {false, true}};
}

std::optional<Way> strassen_way(const CaseRunner& runner) {
  for (Way& way : every_way(runner.call()))
    if (way.implementation == kStrassen) return std::move(way);
  return std::nullopt;
}

/// The results, in every cut, of the best instruction set that is not above `limit`.
Tensor strassen_of(const Case& c, Isa limit) {
  const LimitedIsa limited(limit);
  CaseRunner runner(c);
  const auto way = strassen_way(runner);
  EXPECT_TRUE(way.has_value()) << runner.describe_types();
  return way ? runner.run_in_every_cut(*way)[0] : Tensor();
}

void expect_near_evaluate(const Case& c, double tolerance = kNearProduct) {
  const LaneSettings settings;  // denormal numbers are zeros
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  for (const Isa limit : kSetsOfStrassen) {
    const Tensor got = strassen_of(c, limit);
    if (got.defined()) {
      EXPECT_EQ(difference(got, expected, tolerance), "")
          << "on " << name(limit) << ": " << CaseRunner(c).describe_types();
    }
  }
}

class DrawnCases {
 public:
  explicit DrawnCases(unsigned seed) : random_(seed) {}

  Case next() {
    const std::int64_t depth = 2 * from(64, 250);
    const std::int64_t columns = from(70, 300);
    const bool is_product = from(0, 1) == 0;
    const Dims pixels = {from(1, 3), depth, from(3, 15), from(11, 20)};
    Case c = is_product ? product_of({from(64, 450), depth, columns}, random_)
                        : convolution_of(pixels, columns, random_);
    const Dims output = is_product ? Dims{c.inputs[0].dims()[0], columns}
                                   : Dims{pixels[0], columns, pixels[2], pixels[3]};
    c.inputs.resize(4);
    if (from(0, 1) == 1) c.inputs[Epilogue::kBiasInput] = random_tensor({columns}, random_);
    if (from(0, 1) == 1) c.inputs[Epilogue::kResidualInput] = random_tensor(output, random_);
    constexpr const char* activations[] = {"", "relu", "gelu", "clip"};
    const std::string activation = activations[from(0, 3)];
    if (!activation.empty()) c.attributes.set("activation", activation);
    if (activation == "clip") {
      c.attributes.set("activation_alpha", -0.5F);
      c.attributes.set("activation_beta", 1.0F);
    }
    return c;
  }

 private:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::mt19937 random_;
};

TEST(StrassenKernel, EqualsEvaluateInEveryCutOnEveryInstructionSet) {
  for (unsigned seed = 1; seed <= (is_full() ? 200 : 8); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_near_evaluate(DrawnCases(seed).next(), kNearClipped);
  }
}

/// All sums of integers so small are exact, in whichever order.
TEST(StrassenKernel, OfSmallIntegersIsExact) {
  std::mt19937 random(1);
  Case c = product_of({75, 900, 200}, random);
  for (Tensor& input : c.inputs)
    input = random_tensor(input.dims(), random, Numbers::SmallIntegers);
  expect_near_evaluate(c, 0);
}

/// In several depths, whose results are added up, with all that comes after the sums.
TEST(StrassenKernel, OfLongRowsEqualsEvaluate) {
  std::mt19937 random(1);
  Case c = product_of({65, 2500, 130}, random);
  c.attributes.set("activation", std::string("gelu"));
  c.inputs.push_back(random_tensor({130}, random));
  c.inputs.push_back(random_tensor({65, 130}, random));
  expect_near_evaluate(c);
}

TEST(StrassenKernel, OfGemmWithTransposedWeightsEqualsEvaluate) {
  std::mt19937 random(1);
  Case c;
  c.op = "Gemm";
  c.attributes = {{"transB", std::int64_t{1}}, {"alpha", 0.5F}};
  c.inputs = {random_tensor({70, 256}, random), random_tensor({160, 256}, random),
              random_tensor({160}, random)};
  c.constant = {false, true, true};
  expect_near_evaluate(c);
}

TEST(StrassenKernel, SpecialNumbersComeOutWhereTheyBelong) {
  std::mt19937 random(1);
  for (const double share : {1e-4, 1e-2}) {
    Case c = product_of({131, 700, 200}, random);
    c.inputs[0] = special_tensor({131, 700}, random, share);
    expect_near_evaluate(c);
  }
}

TEST(StrassenKernel, WeightsThatAreNotFiniteMeetTheirColumnsOnly) {
  std::mt19937 random(1);
  Case c = product_of({100, 256, 256}, random);
  c.inputs[1].mutable_data<float>()[5000] = std::numeric_limits<float>::infinity();
  c.inputs[1].mutable_data<float>()[7077] = std::numeric_limits<float>::quiet_NaN();
  expect_near_evaluate(c);
}

/// Sums of such rows are infinite, the results are not.
TEST(StrassenKernel, NearTheLargestNumberEqualsEvaluate) {
  std::mt19937 random(1);
  Case c = product_of({64, 128, 128}, random);
  for (float& x : c.inputs[0].mutable_data<float>())
    x = std::copysign(std::numeric_limits<float>::max(), x);
  for (float& w : c.inputs[1].mutable_data<float>()) w *= 1e-3F;
  expect_near_evaluate(c);
}

/// A small row is as precise beside a large one as it would be alone.
TEST(StrassenKernel, RowsOfDifferentSizeKeepTheirDigits) {
  std::mt19937 random(1);
  constexpr std::int64_t rows = 96;
  constexpr std::int64_t depth = 512;
  constexpr std::int64_t columns = 128;
  Case c = product_of({rows, depth, columns}, random);
  for (std::int64_t i = 0; i < 3 * depth; ++i)
    c.inputs[0].mutable_data<float>()[static_cast<std::size_t>(i)] *= 1e5F;
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  for (const Isa limit : kSetsOfStrassen) {
    const Tensor got = strassen_of(c, limit);
    for (std::int64_t row = 0; row < rows; ++row) {
      double largest = 0;
      double error = 0;
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
        const double right = expected.data<float>()[static_cast<std::size_t>(i)];
        largest = std::max(largest, std::fabs(right));
        error = std::max(error, std::fabs(got.data<float>()[static_cast<std::size_t>(i)] - right));
      }
      EXPECT_LT(error, 1e-5 * largest) << "row " << row << " on " << name(limit);
    }
  }
}

using StrassenChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, StrassenChoice, kEachMachine, name_of_machine);

TEST_P(StrassenChoice, IsTakenOnlyIfAskedFor) {
  std::mt19937 random(1);
  for (const Case& c :
       {product_of({128, 768, 768}, random), convolution_of({1, 256, 14, 14}, 256, random)}) {
    CaseRunner runner(c);
    EXPECT_EQ(prepare(runner.call()).implementation, kPanels);
    EXPECT_TRUE(strassen_way(runner));
    for (const Way& way : alternatives(runner.call(), true))
      EXPECT_NE(way.implementation, kStrassen);
  }
}

TEST_P(StrassenChoice, IsNotForSmallOrOddProducts) {
  std::mt19937 random(1);
  for (const ProductShape& shape : {ProductShape{8, 768, 768}, ProductShape{128, 32, 768},
                                    ProductShape{128, 333, 768}, ProductShape{128, 768, 12}}) {
    const Case c = product_of(shape, random);
    EXPECT_FALSE(strassen_way(CaseRunner(c))) << CaseRunner(c).describe_types();
  }
}

/// The error, as a share of the largest result, of a layer as trained networks have them.
TEST(StrassenKernel, OfARealisticLayerIsPrecise) {
  std::mt19937 random(1);
  constexpr std::int64_t depth = 768;
  Case c = product_of({128, depth, 256}, random);
  std::normal_distribution<float> normal;
  for (float& x : c.inputs[0].mutable_data<float>()) x = normal(random);
  for (float& w : c.inputs[1].mutable_data<float>()) w = normal(random) * 0.02F;
  expect_near_evaluate(c, 3e-6);
}

}  // namespace
}  // namespace braid::cpu
