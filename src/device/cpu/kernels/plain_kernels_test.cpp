#include <rapidcheck.h>

#include "device/cpu/kernels/elementwise.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/onednn/post_ops.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"
#include "ops/catalog.h"

namespace braid::cpu {
namespace {

Dims pick_dims(std::int64_t least_rank, std::int64_t highest_rank) {
  Dims dims;
  for (std::int64_t i = pick(least_rank, highest_rank); i > 0; --i) dims.push_back(pick(1, 7));
  return dims;
}

void expect_as_evaluated(const Case& c, double tolerance, std::string_view implementation = {}) {
  std::string used;
  const std::string text = compare_with_evaluate(c, tolerance, &used);
  RC_TAG(used);
  if (!text.empty()) RC_FAIL(text);
  if (!implementation.empty()) RC_ASSERT(used == implementation);
}

/// A shape that broadcasts to `dims`.
Dims pick_smaller(const Dims& dims) {
  Dims smaller(dims.begin() + static_cast<std::ptrdiff_t>(pick(0, std::ssize(dims))), dims.end());
  for (std::int64_t& d : smaller)
    if (pick(0, 2) == 0) d = 1;
  return smaller;
}

TEST(BinaryKernel, EqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random = pick_random();
      const Dims dims = pick_dims(0, 4);
      Case c;
      c.op = *rc::gen::element<std::string>("Add", "Sub", "Mul", "Div", "Min", "Max", "Sum");
      c.inputs = {random_tensor(pick_smaller(dims), random),
                  random_tensor(pick_smaller(dims), random)};
      if (c.op == "Sum" || c.op == "Min" || c.op == "Max")
        for (std::int64_t i = pick(0, 2); i > 0; --i)
          c.inputs.push_back(random_tensor(pick_smaller(dims), random));
      expect_as_evaluated(c, 0);
    }));
  }
}

TEST(UnaryKernel, EveryStepOfAChainHasAFunction) {
  for (const OpDef& op : catalog()) {
    for (const StepDef& step : op.steps) EXPECT_NE(block_function(step.name), nullptr);
    for (const ActivationDef& activation : op.activations) {
      EXPECT_NE(block_function(activation.step), nullptr);
      EXPECT_NO_THROW(eltwise_of(activation.step, 1, 1)) << activation.name;
    }
  }
}

TEST(UnaryKernel, HardSigmoidKeepsNaN) {
  const Tensor input = Tensor::of<float>({3}, {std::nanf(""), 0, 100});
  EXPECT_EQ(compare_with_evaluate({.op = "HardSigmoid", .inputs = {input}}, 0), "");
}

TEST(BinaryKernel, KeepsNaN) {
  const float nan = std::nanf("");
  for (const std::string op : {"Min", "Max", "Add"})
    for (const auto& [a, b] : {std::pair{nan, 1.0F}, std::pair{1.0F, nan}})
      EXPECT_EQ(
          compare_with_evaluate({.op = op, .inputs = {Tensor::scalar(a), Tensor::scalar(b)}}, 0),
          "")
          << op;
}

TEST(UnaryKernel, EqualsEvaluate) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    Case c;
    c.op = *rc::gen::elementOf(unary_steps());
    if (c.op == "Gelu" && pick(0, 1) == 1) c.attributes.set("approximate", std::string("tanh"));
    Tensor x = random_tensor(pick_dims(0, 4), random);
    const auto scale = static_cast<float>(pick(1, 12));
    for (float& element : x.mutable_data<float>())
      element = c.op == "Sqrt" ? std::fabs(element) : scale * element;
    c.inputs = {x};
    expect_as_evaluated(c, 2e-6);
  }));
}

TEST(MovementKernel, TransposesEveryElementType) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_dims(0, 5);
    Dims permutation(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) permutation[i] = static_cast<std::int64_t>(i);
    std::shuffle(permutation.begin(), permutation.end(), random);
    const auto element =
        *rc::gen::element(ElementType::F32, ElementType::I64, ElementType::F16, ElementType::Bool);
    Case c;
    c.op = "Transpose";
    c.attributes.set("perm", permutation);
    c.inputs = {evaluate("Cast",
                         {{"to", element == ElementType::F32   ? std::int64_t{1}
                                 : element == ElementType::I64 ? std::int64_t{7}
                                 : element == ElementType::F16 ? std::int64_t{10}
                                                               : std::int64_t{9}}},
                         std::vector{random_tensor(dims, random, Numbers::SmallIntegers)})[0]};
    expect_as_evaluated(c, 0, "copy");
  }));
}

TEST(MovementKernel, Slices) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_dims(1, 4);
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> steps;
    for (const std::int64_t length : dims) {
      const std::int64_t a = pick(0, length - 1);
      const std::int64_t b = pick(0, length - 1);
      const bool back = pick(0, 1) == 1;
      starts.push_back(back ? std::max(a, b) : std::min(a, b));
      // One before the first element has no other name than a bound far below.
      const std::int64_t low = std::min(a, b) == 0 ? -100 : std::min(a, b) - 1;
      ends.push_back(back ? low : std::max(a, b) + 1);
      steps.push_back(back ? -pick(1, 3) : pick(1, 3));
    }
    const auto list = [](const std::vector<std::int64_t>& v) {
      return Tensor::of<std::int64_t>({std::ssize(v)}, std::span<const std::int64_t>(v));
    };
    std::vector<std::int64_t> axes(dims.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
    Case c;
    c.op = "Slice";
    c.inputs = {random_tensor(dims, random), list(starts), list(ends), list(axes), list(steps)};
    c.constant = {false, true, true, true, true};
    expect_as_evaluated(c, 0, "copy");
  }));
}

TEST(MovementKernel, Pads) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_dims(1, 4);
    std::vector<std::int64_t> pads;
    for (std::size_t i = 0; i < 2 * dims.size(); ++i) pads.push_back(pick(0, 3));
    Case c;
    c.op = "Pad";
    c.inputs = {random_tensor(dims, random),
                Tensor::of<std::int64_t>({std::ssize(pads)}, std::span<const std::int64_t>(pads))};
    c.constant = {false, true};
    if (pick(0, 1) == 1) c.inputs.push_back(Tensor::scalar(2.0F));
    expect_as_evaluated(c, 0, "pad");
  }));
}

TEST(MovementKernel, Concatenates) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    Dims dims = pick_dims(1, 4);
    const std::int64_t axis = pick(0, std::ssize(dims) - 1);
    Case c;
    c.op = "Concat";
    c.attributes.set("axis", axis);
    for (std::int64_t i = pick(1, 4); i > 0; --i) {
      dims[static_cast<std::size_t>(axis)] = pick(0, 3);
      c.inputs.push_back(random_tensor(dims, random));
    }
    expect_as_evaluated(c, 0);
  }));
}

TEST(MovementKernel, MovesBlocksBetweenDepthAndSpaceInAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const std::int64_t block = pick(1, 4);
    const std::int64_t depth = pick(0, 3) == 0 ? 40 : pick(1, 5);
    const std::int64_t height = pick(1, 5);
    const std::int64_t width = pick(0, 3) == 0 ? 40 : pick(1, 5);
    Case c;
    c.op = *rc::gen::element<std::string>("DepthToSpace", "SpaceToDepth");
    c.attributes = {{"blocksize", block}};
    if (pick(0, 1) == 1) c.attributes.set("mode", std::string("CRD"));
    const Dims dims = c.op == "DepthToSpace"
                          ? Dims{pick(1, 2), depth * block * block, height, width}
                          : Dims{pick(1, 2), depth, height * block, width * block};
    c.inputs = {random_tensor(dims, random)};
    const std::string fault = fault_in_order(c, pick_order(4), 0, "depth_space");
    if (!fault.empty()) RC_FAIL(fault);
  }));
}

TEST(EmptyTensors, NeedNoKernel) {
  std::mt19937 random(1);
  const Case no_outputs{.op = "MatMul",
                        .inputs = {random_tensor({0, 4}, random), random_tensor({4, 3}, random)}};
  EXPECT_EQ(run_kernel(no_outputs).implementation, "nothing");
  const Case no_depth{.op = "MatMul",
                      .inputs = {random_tensor({2, 0}, random), random_tensor({0, 3}, random)}};
  EXPECT_EQ(compare_with_evaluate(no_depth, 0), "");
}

/// A value and the axes, in which nothing lies between reduced axes in memory, of a Reduce*.
Case pick_reduction(const std::string& op, AxisOrder& order) {
  std::mt19937 random = pick_random();
  Dims dims = pick_dims(1, 5);
  dims[static_cast<std::size_t>(pick(0, std::ssize(dims) - 1))] = pick(1, 300);
  order = whole_order({}, dims.size());
  if (pick(0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
  const std::int64_t first = pick(0, std::ssize(dims) - 1);
  const std::int64_t last = pick(first, std::ssize(dims) - 1);
  std::vector<std::int64_t> axes;
  for (std::int64_t i = first; i <= last; ++i)
    axes.push_back(static_cast<std::int64_t>(order[static_cast<std::size_t>(i)]));
  order = normal_order(order);
  Case c;
  c.op = op;
  c.attributes.set("keepdims", pick(0, 1));
  c.inputs = {random_tensor(dims, random),
              Tensor::of<std::int64_t>({std::ssize(axes)}, std::span<const std::int64_t>(axes))};
  c.constant = {false, true};
  return c;
}

/// The way for an input in this order.
Way way_in(const Case& c, const AxisOrder& order) {
  CaseRunner runner(c);
  KernelCall call = runner.call();
  call.inputs[0] = order;
  return prepare(call);
}

/// What differs from what `evaluate` gives, whole and in every cut.
std::string reduced(const Case& c, const AxisOrder& order) {
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs, c.outputs)[0];
  return difference(CaseRunner(c).run_in_every_cut(way_in(c, order))[0], expected, 1e-7);
}

void expect_reduced(const Case& c, const AxisOrder& order) {
  const std::string used = way_in(c, order).implementation;
  RC_TAG(used);
  RC_ASSERT(used == "reduce" || (c.op == "ReduceMean" && used == "spatial_mean"));
  const std::string text = reduced(c, order);
  if (!text.empty()) RC_FAIL(text);
}

TEST(MeanKernel, OfALargeMapIsAsNearAsFloatsAre) {
  std::mt19937 random(6);
  Tensor x = random_tensor({1, 24, 80, 120}, random);
  for (float& element : x.mutable_data<float>()) element += 1.5F;
  const Case c{.op = "ReduceMean",
               .inputs = {x, Tensor::of<std::int64_t>({2}, {2, 3})},
               .constant = {false, true}};
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_EQ(reduced(c, channels_last_order(4)), "");
    EXPECT_EQ(way_in(c, channels_last_order(4)).implementation, "spatial_mean");
    EXPECT_EQ(reduced(c, {}), "");
  }
}

using MeanChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, MeanChoice, kEachMachine, name_of_machine);

TEST_P(MeanChoice, OfLinesThatFollowOneAnotherNeedsNoOtherOrder) {
  std::mt19937 random(6);
  const Case c{.op = "ReduceMean",
               .inputs = {random_tensor({1, 64, 512}, random), Tensor::of<std::int64_t>({1}, {-1})},
               .constant = {false, true}};
  const Way way = way_in(c, {});
  EXPECT_EQ(way.implementation, "reduce");
  EXPECT_EQ(way.input_orders, std::vector<AxisOrder>{{}});
}

TEST(ReduceKernel, EqualsEvaluateInAnyOrderOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const auto op =
          *rc::gen::element<std::string>("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                                         "ReduceL1", "ReduceL2", "ReduceSumSquare");
      AxisOrder order;
      const Case c = pick_reduction(op, order);
      expect_reduced(c, order);
    }));
  }
}

TEST(ReduceKernel, TakesTheLargestOfAllPixels) {
  std::mt19937 random(4);
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    for (const Dims& dims : {Dims{2, 37}, Dims{1, 3, 50}, Dims{2, 70, 5, 7}, Dims{1, 19, 2, 3, 4}})
      for (const AxisOrder& order : {AxisOrder{}, channels_last_order(dims.size())})
        EXPECT_EQ(
            fault_in_order({.op = "GlobalMaxPool", .inputs = {special_tensor(dims, random, 0.01)}},
                           normal_order(order), 0, "reduce"),
            "");
  }
}

Dims pick_image() {
  const auto other = static_cast<std::size_t>(pick(0, 3));
  Dims dims = {pick(1, 3), pick(0, 2) == 0 ? pick(1, 200) : pick(1, 7)};
  for (std::size_t i = 0; i < other; ++i) dims.push_back(pick(0, 3) == 0 ? 40 : pick(1, 5));
  return dims;
}

TEST(LrnKernel, EqualsEvaluateInAnyOrderOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random = pick_random();
      Case c{.op = "LRN",
             .attributes = {{"size", pick(1, 7)}, {"alpha", pick(0, 3) == 0 ? -0.3F : 0.3F}},
             .inputs = {special_tensor(pick_image(), random, 0.01)}};
      if (pick(0, 1) == 1) c.attributes.set("beta", 0.6F);
      const std::string fault =
          fault_in_order(c, pick_order(c.inputs[0].dims().size()), 1e-6, "lrn");
      if (!fault.empty()) RC_FAIL(fault);
    }));
  }
}

TEST(ArgKernel, EqualsEvaluateInAnyOrderOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      std::mt19937 random = pick_random();
      const Dims dims = pick_image();
      Tensor x = random_tensor(dims, random, Numbers::SmallIntegers);
      if (pick(0, 1) == 1) x = special_tensor(dims, random, 0.1);
      const Case c{.op = *rc::gen::element<std::string>("ArgMax", "ArgMin"),
                   .attributes = {{"axis", pick(0, std::ssize(dims) - 1)},
                                  {"keepdims", pick(0, 1)},
                                  {"select_last_index", pick(0, 1)}},
                   .inputs = {x}};
      const std::string fault = fault_in_order(c, pick_order(dims.size()), 0, "arg");
      if (!fault.empty()) RC_FAIL(fault);
    }));
  }
}

TEST(ReduceKernel, KeepsNaN) {
  Tensor x = Tensor::of<float>({2, 3, 20}, std::vector<float>(120, 1.0F));
  x.mutable_data<float>()[7] = std::nanf("");
  x.mutable_data<float>()[90] = -std::numeric_limits<float>::infinity();
  for (const std::string op : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2"})
    for (const std::int64_t axis : {0, 1, 2}) {
      std::string used;
      const Case c{.op = op,
                   .inputs = {x, Tensor::of<std::int64_t>({1}, {axis})},
                   .constant = {false, true}};
      EXPECT_EQ(compare_with_evaluate(c, 0, &used), "") << op << " along " << axis;
      EXPECT_EQ(used, "reduce");
    }
}

TEST(ReduceKernel, LeavesScatteredAxesAndOtherElementsToEvaluate) {
  std::mt19937 random(3);
  const Tensor x = random_tensor({4, 5, 6}, random);
  std::string used;
  EXPECT_EQ(compare_with_evaluate({.op = "ReduceSum",
                                   .inputs = {x, Tensor::of<std::int64_t>({2}, {0, 2})},
                                   .constant = {false, true}},
                                  0, &used),
            "");
  EXPECT_EQ(used, "evaluate");
  EXPECT_EQ(
      compare_with_evaluate(
          {.op = "ReduceMax", .inputs = {Tensor::of<std::int64_t>({3}, {1, 5, 2})}}, 0, &used),
      "");
  EXPECT_EQ(used, "evaluate");
}

}  // namespace
}  // namespace braid::cpu
