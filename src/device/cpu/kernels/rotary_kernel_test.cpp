#include <numeric>

#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/picks.h"

namespace braid::cpu {
namespace {

/// Any rotation, by places in the sequence or by positions that are given.
Case pick_rotation() {
  std::mt19937 random = pick_random();
  const std::int64_t batch = pick(1, 3);
  const std::int64_t heads = pick(1, 4);
  const std::int64_t length = pick(1, 5);
  const std::int64_t size = pick(1, 40);
  const std::int64_t pairs = size == 1 ? 0 : pick(1, size / 2);
  Case c;
  c.op = "RotaryEmbedding";
  c.attributes.set("interleaved", pick(0, 1));
  const bool inside = pick(0, 1) == 0;
  if (inside) c.attributes.set("num_heads", heads);
  const std::int64_t even = pairs == 0 ? 2 : size;
  if (2 * pairs != even)
    c.attributes.set("rotary_embedding_dim", 2 * std::max<std::int64_t>(pairs, 1));
  const std::int64_t half = std::max<std::int64_t>(pairs, 1);
  c.inputs = {random_tensor(
      inside ? Dims{batch, length, heads * even} : Dims{batch, heads, length, even}, random)};
  const bool by_position = pick(0, 1) == 0;
  const std::int64_t positions = pick(1, 9);
  const Dims cache = by_position ? Dims{positions, half} : Dims{batch, length, half};
  c.inputs.push_back(random_tensor(cache, random));
  c.inputs.push_back(random_tensor(cache, random));
  if (by_position) {
    Tensor given = Tensor::uninitialised({ElementType::I64, {batch, length}});
    for (std::int64_t& x : given.mutable_data<std::int64_t>())
      x = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(positions));
    c.inputs.push_back(given);
  }
  return c;
}

TEST(RotaryKernel, EqualsEvaluateInAnyOrderOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const Case c = pick_rotation();
      CaseRunner runner(c);
      KernelCall call = runner.call();
      std::mt19937 random = pick_random();
      if (*rc::gen::arbitrary<bool>()) {
        AxisOrder order(c.inputs[0].dims().size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random);
        call.inputs[0] = normal_order(order);
      }
      const Way way = prepare(call);
      RC_ASSERT(way.implementation == "rotary");
      const std::string text = difference(runner.run_in_every_cut(way)[0],
                                          evaluate(c.op, c.attributes, c.inputs)[0], 1e-6);
      if (!text.empty()) RC_FAIL(runner.describe_types() + ": " + text);
    }));
  }
}

TEST(RotaryKernel, KeepsTheOrderOfItsInput) {
  std::mt19937 random(1);
  const Case c{.op = "RotaryEmbedding",
               .inputs = {random_tensor({2, 3, 5, 8}, random), random_tensor({2, 5, 4}, random),
                          random_tensor({2, 5, 4}, random)}};
  KernelCall call = CaseRunner(c).call();
  call.inputs[0] = {0, 2, 1, 3};
  EXPECT_EQ(prepare(call).output_orders[0], (AxisOrder{0, 2, 1, 3}));
  call.inputs[0] = {0, 1, 3, 2};
  EXPECT_EQ(prepare(call).output_orders[0], (AxisOrder{}));
}

TEST(RotaryKernel, RefusesAPositionThatTheCacheLacks) {
  std::mt19937 random(1);
  const Tensor cache = random_tensor({4, 2}, random);
  const Case c{.op = "RotaryEmbedding",
               .inputs = {random_tensor({1, 1, 1, 4}, random), cache, cache,
                          Tensor::of<std::int64_t>({1, 1}, {4})}};
  EXPECT_THROW(run_kernel(c), Error);
}

}  // namespace
}  // namespace braid::cpu
