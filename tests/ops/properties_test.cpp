#include <algorithm>
#include <optional>
#include <set>

#include <malloc.h>

#include "device/cpu/testing/kernels.h"
#include "ops/catalog.h"
#include "tensor/difference.h"
#include "tests/ops/accepted.h"

/// What holds for every operator of the catalogue, on random uses of it.

namespace braid {
namespace {

constexpr int kDraws = 66;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const OpDef& def : catalog()) names.emplace_back(def.name);
  return names;
}

bool is_empty(const TensorType& type) { return element_count(type) == 0; }

class EveryOperator : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Generator* found = find_generator(GetParam());
    ASSERT_NE(found, nullptr) << "write a generator in tests/ops for " << GetParam();
    generator_ = *found;
  }

  template <class Check>
  void for_each_draw(bool infinities, Check check) {
    for (int index = 0; index < kDraws && !HasFailure(); ++index) {
      const std::optional<Accepted> draw = accepted(generator_, index, infinities);
      if (!draw) continue;
      try {
        check(*draw);
      } catch (const Error& error) {
        ADD_FAILURE() << error.message();
      }
      if (HasFailure()) ADD_FAILURE() << "draw " << index << ":\n" << text_of(draw->c);
    }
  }

  Generator generator_;
};

TEST_P(EveryOperator, IsDrawnInAllItsForms) {
  const OpDef& def = op_def(GetParam());
  int taken = 0;
  int full = 0;
  int empty = 0;
  int scalar = 0;
  for (int index = 0; index < kDraws; ++index) {
    const std::optional<Accepted> draw = accepted(generator_, index, true);
    if (!draw) continue;
    ++taken;
    bool any_empty = std::ranges::any_of(draw->types, is_empty);
    full += std::ranges::all_of(draw->types, is_empty) ? 0 : 1;
    for (const Tensor& input : draw->c.inputs)
      any_empty = any_empty || (input.defined() && is_empty(input.type()));
    empty += any_empty ? 1 : 0;
    const std::vector<Tensor>& inputs = draw->c.inputs;
    if (def.typed_input < inputs.size() && inputs[def.typed_input].dims().empty()) ++scalar;
  }
  EXPECT_GE(taken, kDraws * 9 / 10) << "the generator makes too much that is refused";
  EXPECT_GE(full, kDraws / 3) << "the generator makes too much that is empty";
  EXPECT_GE(empty, 3);
  EXPECT_GE(scalar, generator_.takes_scalars ? 3 : 0);
}

TEST_P(EveryOperator, EvaluatesToTheInferredTypes) {
  for_each_draw(true, [&](const Accepted& draw) {
    const Case& c = draw.c;
    ASSERT_GE(draw.types.size(), c.outputs);
    const std::vector<Tensor> results = evaluate(c.op, c.attributes, c.inputs, c.outputs);
    ASSERT_GE(results.size(), c.outputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(to_string(results[i].type()), to_string(draw.types[i])) << "output " << i;
    // Fewer elements known means no type or the same.
    try {
      EXPECT_EQ(infer(op_def(c.op), call_of(c, false)), draw.types);
    } catch (const ValueNeeded&) {
      SUCCEED() << "these types need elements";
    }
  });
}

TEST_P(EveryOperator, CostsAtLeastNothing) {
  for_each_draw(true, [&](const Accepted& draw) {
    const OpDef& def = op_def(draw.c.op);
    OpCall call = call_of(draw.c, true);
    call.outputs = draw.types;
    const Work cost = work(def, call);
    EXPECT_TRUE(std::isfinite(cost.flops) && cost.flops >= 0) << cost.flops;
    EXPECT_TRUE(std::isfinite(cost.macs) && cost.macs >= 0) << cost.macs;
    EXPECT_GE(cost.bytes_read, 0);
    EXPECT_GE(cost.bytes_written, 0);
    if (def.footprint == nullptr) return;
    EXPECT_GE(def.footprint(call).blocks, 1);
  });
}

/// Infinities and NaN come out of the kernel as of the definition. Only of a convolution whose
/// weights are such it is up to the kernel: zeros of the padding may be multiplied or left out.
TEST_P(EveryOperator, RunsAsItEvaluates) {
  for_each_draw(GetParam() != "Conv", [&](const Accepted& draw) {
    // Bytes that nothing has written are to differ.
    mallopt(M_PERTURB, 0x55);
    const std::vector<Tensor> expected =
        evaluate(draw.c.op, draw.c.attributes, draw.c.inputs, draw.c.outputs);
    mallopt(M_PERTURB, 0xaa);
    const cpu::KernelResult got = cpu::run_kernel(draw.c);
    mallopt(M_PERTURB, 0);
    ASSERT_GE(got.outputs.size(), draw.c.outputs);
    for (std::size_t i = 0; i < draw.c.outputs; ++i) {
      const double tolerance = tolerance_of(generator_, draw, expected[i].element());
      const Difference apart = difference(got.outputs[i], expected[i]);
      EXPECT_TRUE(apart.within(tolerance, tolerance))
          << got.implementation << ": output " << i << " is off by " << apart.max_abs;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryOperator, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

TEST(Generators, AreOfOperatorsAndOneEach) {
  std::set<std::string_view> ops;
  std::size_t rows = 0;
  for (const auto family : kGeneratorFamilies)
    for (const Generator& generator : family()) {
      ++rows;
      ops.insert(generator.op);
      EXPECT_NE(find_op(generator.op), nullptr) << generator.op;
    }
  EXPECT_EQ(rows, catalog().size());
  EXPECT_EQ(rows, ops.size());
}

}  // namespace
}  // namespace braid
