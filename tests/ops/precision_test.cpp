#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "ops/call.h"
#include "ops/cast.h"
#include "tensor/difference.h"
#include "tensor/element.h"
#include "tests/ops/generators.h"

/// Elementwise operators and reductions give, in every float type, what they give in double,
/// rounded to the type.

namespace braid {
namespace {

constexpr int kRoundedDraws = 40;

/// Two units in the last place; float has the errors of the library's functions besides.
double rounding_of(ElementType element) {
  switch (element) {
    case ElementType::F16:
      return 0x1p-10;
    case ElementType::BF16:
      return 0x1p-7;
    default:
      return 0x1p-20;
  }
}

bool converts(std::string_view op) { return op.find("Cast") != std::string_view::npos; }

std::vector<Tensor> evaluated_in_double(const Case& c, ElementType element) {
  std::vector<Tensor> inputs = c.inputs;
  for (Tensor& input : inputs)
    if (input.defined() && input.element() == element) input = cast(input, ElementType::F64);
  return evaluate(c.op, c.attributes, inputs, c.outputs);
}

void expect_rounded(const Case& c, ElementType element, int index) {
  const std::vector<Tensor> results = evaluate(c.op, c.attributes, c.inputs, c.outputs);
  const std::vector<Tensor> wide = evaluated_in_double(c, element);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double tolerance = is_float_type(results[i].element()) ? rounding_of(element) : 0;
    EXPECT_TRUE(all_close(results[i], cast(wide[i], results[i].element()), tolerance, tolerance))
        << c.op << " on " << to_string(c.inputs[0].type()) << ", output " << i << " of draw "
        << index;
  }
}

void expect_rounded(const Generator& generator) {
  for (int index = 0; index < kRoundedDraws; ++index) {
    const Case c = draw_case(generator, index, true);
    const std::size_t typed = generator.op == "Where" ? 1 : 0;
    const ElementType element = c.inputs[typed].element();
    if (is_float_type(element) && element != ElementType::F64) expect_rounded(c, element, index);
  }
}

TEST(Precision, ElementwiseOperatorsRoundOnce) {
  for (const Generator& generator : elementwise_generators())
    if (!converts(generator.op) && generator.op != "Chain")  // which rounds after every step
      expect_rounded(generator);
}

TEST(Precision, ReductionsRoundOnce) {
  for (const Generator& generator : reduction_generators()) expect_rounded(generator);
}

}  // namespace
}  // namespace braid
