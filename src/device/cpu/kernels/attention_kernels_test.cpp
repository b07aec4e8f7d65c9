#include <limits>

#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"
#include "ops/fused_attention.h"

namespace braid::cpu {
namespace {

constexpr double kAttentionTolerance = 1e-5;

/// Dims that broadcast to these: leading axes are missing, others have one element.
Dims pick_broadcasting_to(const Dims& to) {
  Dims dims(to.begin() + pick(0, std::ssize(to)), to.end());
  for (std::int64_t& dim : dims)
    if (pick(0, 2) == 0) dim = 1;
  return dims;
}

Tensor truths(const Dims& dims, std::mt19937& random) {
  Tensor tensor = Tensor::uninitialised({ElementType::Bool, dims});
  for (bool& x : tensor.mutable_data<bool>()) x = random() % 3 != 0;
  return tensor;
}

Dims with_matrix(Dims batch, std::int64_t rows, std::int64_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

/// Any attention of which a share of the elements are special numbers.
Case pick_attention(double specials) {
  using Kind = AttentionMask::Kind;
  std::mt19937 random = pick_random();
  Dims batch;
  for (std::int64_t i = pick(0, 3); i > 0; --i) batch.push_back(pick(1, 3));
  const auto length = [] { return pick(0, 3) == 0 ? pick(1, 150) : pick(1, 20); };
  FusedAttention attention;
  attention.batch = batch;
  attention.rows = length();
  attention.depth = length();
  attention.keys = length();
  attention.columns = length();
  attention.keys_by_rows = pick(0, 1) == 0;
  attention.scale = *rc::gen::element(1.0F, 0.125F, 3.0F, -0.5F);
  attention.undefined_is_zero = pick(0, 3) == 0;
  if (pick(0, 3) == 0) attention.cap = 2;
  attention.skips_hidden = pick(0, 1) == 0;
  if (attention.skips_hidden)
    attention.window = {.offset = pick(0, std::min<std::int64_t>(attention.keys, 3)),
                        .before = pick(-1, std::min<std::int64_t>(attention.keys, 5)),
                        .after = pick(-1, std::min<std::int64_t>(attention.keys, 9))};
  Case c;
  c.op = "FusedAttention";
  const auto numbers = [&](const Dims& dims) { return special_tensor(dims, random, specials); };
  const Dims k_batch = pick_broadcasting_to(batch);
  c.inputs = {
      numbers(with_matrix(batch, attention.rows, attention.depth)),
      numbers(attention.keys_by_rows ? with_matrix(k_batch, attention.keys, attention.depth)
                                     : with_matrix(k_batch, attention.depth, attention.keys)),
      numbers(with_matrix(pick_broadcasting_to(batch), attention.keys, attention.columns))};
  for (std::int64_t i = pick(0, 3); i > 0; --i) {
    const Dims dims = pick_broadcasting_to(attention.scores());
    const Kind kind = *rc::gen::element(Kind::Add, Kind::Keep, Kind::Drop);
    const float fill = *rc::gen::element(-1e4F, -std::numeric_limits<float>::infinity());
    attention.masks.push_back({kind, kind == Kind::Add ? 0 : fill});
    c.inputs.push_back(kind == Kind::Add ? numbers(dims) : truths(dims, random));
  }
  c.attributes = fused_attention_attributes(attention);
  return c;
}

AxisOrder pick_order(std::size_t rank) {
  AxisOrder order = whole_order({}, rank);
  std::mt19937 random = pick_random();
  std::shuffle(order.begin(), order.end(), random);
  return normal_order(order);
}

/// Denormal numbers are zeros to a kernel.
Case with_zeros_for_denormals(Case c) {
  for (Tensor& input : c.inputs)
    if (input.element() == ElementType::F32)
      for (float& x : input.mutable_data<float>())
        if (std::fpclassify(x) == FP_SUBNORMAL) x = 0;
  return c;
}

/// The kernel on operands in any orders, whole and in every cut, gives what `evaluate` gives.
void expect_attention_as_evaluated(const Case& c) {
  const Tensor expected = evaluate(c.op, c.attributes, with_zeros_for_denormals(c).inputs)[0];
  CaseRunner runner(c);
  KernelCall call = runner.call();
  if (*rc::gen::arbitrary<bool>()) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
      call.inputs[i] = pick_order(call.op.dims(i).size());
    call.output = pick_order(expected.dims().size());
  }
  const Way way = prepare(call);
  RC_ASSERT(way.implementation == "attention");
  const std::string text =
      difference(runner.run_in_every_cut(way)[0], expected, kAttentionTolerance);
  if (!text.empty()) RC_FAIL(runner.describe_types() + ": " + text);
}

TEST(AttentionKernel, EqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] { expect_attention_as_evaluated(pick_attention(0)); }));
  }
}

TEST(AttentionKernel, KeepsNanAndInfinitiesOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      expect_attention_as_evaluated(pick_attention(*rc::gen::element(0.001, 0.02, 0.3)));
    }));
  }
}

Case attention_case(const Dims& batch, std::int64_t rows, std::int64_t depth, std::int64_t keys) {
  std::mt19937 random(1);
  return {.op = "FusedAttention",
          .attributes = {{"scale", 0.125F}},
          .inputs = {random_tensor(with_matrix(batch, rows, depth), random),
                     random_tensor(with_matrix(batch, depth, keys), random),
                     random_tensor(with_matrix(batch, keys, depth), random)}};
}

TEST(AttentionKernel, ManyKeysAreAddedUpSomeAtATime) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_EQ(compare_with_evaluate(attention_case({}, 13, 20, 40'000), kAttentionTolerance), "");
  }
}

using AttentionChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, AttentionChoice, kEachMachine, name_of_machine);

TEST_P(AttentionChoice, ScratchGrowsWithTheLengthAndNotWithItsSquare) {
  const LaneSettings settings;
  const auto scratch = [](std::int64_t length) {
    const Case c = attention_case({}, length, 16, length);
    return prepare(CaseRunner(c).call()).scratch_bytes;
  };
  EXPECT_LT(scratch(40'000), 25 * scratch(4'000));
}

TEST(AttentionKernel, AWindowHidesTheSameKeysInEveryCut) {
  const LaneSettings settings;
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512})
    for (const std::int64_t before : {-1, 30}) {
      const LimitedIsa limited(limit);
      Case c = attention_case({2}, 333, 19, 340);
      FusedAttention attention;
      attention.window = {.offset = 7, .before = before, .after = 0};
      attention.skips_hidden = true;
      c.attributes = fused_attention_attributes(attention);
      // Nothing is known of a value that only the last rows see.
      c.inputs[2].mutable_data<float>()[339 * 19] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_EQ(compare_with_evaluate(c, kAttentionTolerance), "");
    }
}

/// Heads as a model has them: tokens lie one behind the other, and heads inside them.
KernelCall with_heads_inside(KernelCall call) {
  call.inputs = {{0, 2, 1, 3}, {0, 3, 1, 2}, {0, 2, 1, 3}};
  call.output = {0, 2, 1, 3};
  return call;
}

TEST(AttentionKernel, AFewRowsPackNothing) {
  const LaneSettings settings;
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512})
    for (const std::int64_t depth : {5, 29, 64})
      for (const std::int64_t rows : {1, 3, 4, 7, 8, 9}) {
        const LimitedIsa limited(limit);
        const Case c = attention_case({2, 3}, rows, depth, 41);
        CaseRunner runner(c);
        const Way way = prepare(with_heads_inside(runner.call()));
        EXPECT_EQ(way.input_orders[1], (AxisOrder{0, 3, 1, 2}));
        EXPECT_EQ(way.output_orders[0], (AxisOrder{0, 2, 1, 3}));
        EXPECT_EQ(way.scratch_bytes < depth * 41 * 4 + rows * 64 * 4, rows <= 8);
        EXPECT_EQ(difference(runner.run_in_every_cut(way)[0],
                             evaluate(c.op, c.attributes, c.inputs)[0], kAttentionTolerance),
                  "")
            << runner.describe_types();
      }
}

TEST_P(AttentionChoice, IsCutByHeadsAndByRows) {
  const LaneSettings settings;
  const Case c = attention_case({1, 3}, 50, 16, 50);
  const Way way = prepare(CaseRunner(c).call());
  ASSERT_EQ(way.cuts.size(), 2U);
  EXPECT_EQ(way.cuts[0].axis, 1);
  EXPECT_EQ(way.cuts[1].axis, 2);
}

TEST(AttentionKernel, ARowWithoutAKeyIsNanOrZeros) {
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  Case c = attention_case({}, 2, 4, 3);
  c.inputs.push_back(Tensor::of<bool>({2, 1}, {true, false}));
  FusedAttention attention;
  attention.masks = {{AttentionMask::Kind::Keep, hidden}};
  for (const bool zeros : {false, true}) {
    attention.skips_hidden = zeros;
    c.attributes = fused_attention_attributes(attention);
    const Tensor y = run_kernel(c).outputs[0];
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(std::isfinite(y.data<float>()[i]));
      EXPECT_TRUE(zeros ? y.data<float>()[4 + i] == 0 : std::isnan(y.data<float>()[4 + i]));
    }
  }
}

}  // namespace
}  // namespace braid::cpu
