#include <bit>
#include <cmath>
#include <numeric>

#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/picks.h"
#include "ops/cast.h"
#include "ops/shared/onnx_type.h"

/// Kernels of elementwise operators and copies whose elements are of other types than float32, or
/// whose operands broadcast.

namespace braid::cpu {
namespace {

constexpr Isa kEveryIsa[] = {Isa::Baseline, Isa::Avx2, Isa::Avx512};

/// Runs a property on every instruction set.
template <class Property>
void check_on_every_isa(const Property& property) {
  for (const Isa limit : kEveryIsa) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check(property));
  }
}

void expect_kernel(const Case& c, std::string_view implementation, double tolerance = 0) {
  std::string used;
  const std::string text = compare_with_evaluate(c, tolerance, &used);
  RC_TAG(c.op);
  if (!text.empty()) RC_FAIL(c.op + ": " + text);
  RC_ASSERT(used == implementation);
}

Dims pick_lengths(std::int64_t most_axes, std::int64_t fewest_axes = 0) {
  Dims dims;
  for (std::int64_t i = pick(fewest_axes, most_axes); i > 0; --i) dims.push_back(pick(1, 7));
  if (!dims.empty() && pick(0, 1) == 0) dims.back() = pick(1, 70);
  return dims;
}

/// A shape that broadcasts to `dims`.
Dims pick_narrower(const Dims& dims) {
  Dims narrower(dims.begin() + static_cast<std::ptrdiff_t>(pick(0, std::ssize(dims))), dims.end());
  for (std::int64_t& d : narrower)
    if (pick(0, 2) == 0) d = 1;
  return narrower;
}

/// Small whole numbers, so that some are equal, some zero.
Tensor pick_tensor(ElementType element, const Dims& dims, std::mt19937& random) {
  return cast(random_tensor(dims, random, Numbers::SmallIntegers), element);
}

Case pick_pair(const std::string& op, ElementType element) {
  std::mt19937 random = pick_random();
  const Dims dims = pick_lengths(4);
  Case c;
  c.op = op;
  c.inputs = {pick_tensor(element, pick_narrower(dims), random),
              pick_tensor(element, pick_narrower(dims), random)};
  return c;
}

TEST(CompareKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_on_every_isa([] {
    const auto op =
        *rc::gen::element<std::string>("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual");
    Case c = pick_pair(op, *rc::gen::element(ElementType::F32, ElementType::I32, ElementType::I64));
    if (c.inputs[0].element() == ElementType::F32) {
      std::mt19937 random = pick_random();
      c.inputs[0] = special_tensor(c.inputs[0].dims(), random, 0.3);
      c.inputs[1] = special_tensor(c.inputs[1].dims(), random, 0.3);
      for (Tensor& input : c.inputs)  // denormal numbers are zeros to kernels alone
        for (float& x : input.mutable_data<float>())
          if (std::fpclassify(x) == FP_SUBNORMAL) x = 0;
    }
    expect_kernel(c, "compare");
  });
}

TEST(CompareKernel, LeavesOtherElementsToEvaluate) {
  EXPECT_EQ(run_kernel({.op = "Less",
                        .inputs = {Tensor::of<double>({2}, {1, 2}), Tensor::of<double>({1}, {2})}})
                .implementation,
            "evaluate");
}

TEST(LogicKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_on_every_isa([] {
    Case c =
        pick_pair(*rc::gen::element<std::string>("And", "Or", "Xor", "Not"), ElementType::Bool);
    if (c.op == "Not") c.inputs.pop_back();
    expect_kernel(c, c.op == "Not" ? "not" : "logic");
  });
}

TEST(IntegerKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_on_every_isa([] {
    const auto op = *rc::gen::element<std::string>("Add", "Sub", "Mul", "Div");
    expect_kernel(pick_pair(op, *rc::gen::element(ElementType::I32, ElementType::I64)), "integers");
  });
}

TEST(IntegerKernel, WrapsAround) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (const std::string op : {"Add", "Sub", "Mul", "Div"})
    EXPECT_EQ(compare_with_evaluate({.op = op,
                                     .inputs = {Tensor::of<std::int64_t>({3}, {least, -1, 7}),
                                                Tensor::of<std::int64_t>({3}, {-1, least, 0})}},
                                    0),
              "")
        << op;
}

TEST(WhereKernel, ChoosesElementsOfEverySizeOnEveryInstructionSet) {
  check_on_every_isa([] {
    const auto element = *rc::gen::element(ElementType::F32, ElementType::I64, ElementType::F16,
                                           ElementType::U8, ElementType::F64);
    Case c = pick_pair("Where", element);
    std::mt19937 random = pick_random();
    c.inputs.insert(c.inputs.begin(), pick_tensor(ElementType::Bool, pick_lengths(0), random));
    const Dims met = evaluate("Add", {}, std::vector{c.inputs[1], c.inputs[2]})[0].dims();
    c.inputs[0] = pick_tensor(ElementType::Bool, pick_narrower(met), random);
    expect_kernel(c, "where");
  });
}

TEST(CastKernel, ConvertsAsEvaluateDoesOnEveryInstructionSet) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> numbers = {
      0,     -0.0F,  0.4F,          0.5F,     -0.9F,     1.5F,  -7.5F,      254.9F,         255,
      256,   -1,     1e9F,          -1e9F,    3e9F,      -3e9F, 2147483648, -2147483648.0F, 9e18F,
      1e19F, -1e19F, std::nanf(""), infinity, -infinity, 127.5F};
  const Tensor few = Tensor::of<float>({std::ssize(numbers)}, std::span<const float>(numbers));
  const Tensor all = evaluate("Tile", {}, std::vector{few, Tensor::of<std::int64_t>({1}, {3})})[0];
  const std::vector<ElementType> types = {ElementType::F32, ElementType::F64, ElementType::I32,
                                          ElementType::I64, ElementType::U8,  ElementType::Bool};
  for (const Isa limit : kEveryIsa) {
    const LimitedIsa limited(limit);
    for (const ElementType from : types)
      for (const ElementType to : types) {
        std::string used;
        const Case c{
            .op = "Cast", .attributes = {{"to", onnx_type(to)}}, .inputs = {cast(all, from)}};
        EXPECT_EQ(compare_with_evaluate(c, 0, &used), "") << name(from) << " to " << name(to);
        EXPECT_EQ(used, "cast");
      }
  }
}

/// Every number of 16 bits, as a tensor of that type.
Tensor every_half(ElementType element) {
  std::vector<std::uint16_t> bits(std::size_t{1} << 16);
  std::iota(bits.begin(), bits.end(), std::uint16_t{0});
  return Tensor::copy_of({element, {std::ssize(bits)}}, std::as_bytes(std::span(bits)));
}

/// Numbers around all of float16's and bfloat16's, and those half way between two of them.
Tensor floats_near_halves() {
  std::vector<float> numbers;
  for (std::uint32_t high = 0; high < 0x10000; ++high)
    for (const std::uint32_t low :
         {0x0000U, 0x0fffU, 0x1000U, 0x1001U, 0x3000U, 0x8000U, 0x8001U}) {
      const auto x = std::bit_cast<float>(high << 16 | low);
      if (std::fpclassify(x) != FP_SUBNORMAL) numbers.push_back(x);
    }
  return Tensor::of<float>({std::ssize(numbers)}, std::span<const float>(numbers));
}

TEST(CastKernel, RoundsToHalvesAsEvaluateDoesOnEveryInstructionSet) {
  const Tensor floats = floats_near_halves();
  for (const Isa limit : kEveryIsa) {
    const LimitedIsa limited(limit);
    for (const ElementType half : {ElementType::F16, ElementType::BF16}) {
      std::string used;
      const Case narrows{.op = "Cast", .attributes = {{"to", onnx_type(half)}}, .inputs = {floats}};
      EXPECT_EQ(compare_with_evaluate(narrows, 0, &used), "") << name(half);
      EXPECT_EQ(used, "cast");
      const Case widens{.op = "Cast",
                        .attributes = {{"to", onnx_type(ElementType::F32)}},
                        .inputs = {every_half(half)}};
      EXPECT_EQ(compare_with_evaluate(widens, 0, &used), "") << name(half);
      EXPECT_EQ(used, "cast");
    }
  }
}

TEST(CastKernel, LeavesOtherElementsToEvaluate) {
  EXPECT_EQ(run_kernel({.op = "Cast",
                        .attributes = {{"to", onnx_type(ElementType::F16)}},
                        .inputs = {Tensor::of<double>({2}, {1, 2})}})
                .implementation,
            "evaluate");
}

Tensor integers(const Dims& list) {
  return Tensor::of<std::int64_t>({std::ssize(list)}, std::span<const std::int64_t>(list));
}

ElementType pick_element() {
  return *rc::gen::element(ElementType::F32, ElementType::I64, ElementType::F16, ElementType::Bool);
}

TEST(MovementKernel, Tiles) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_lengths(4, 1);
    Dims repeats(dims.size());
    for (std::int64_t& r : repeats) r = pick(1, 3);
    expect_kernel({.op = "Tile",
                   .inputs = {pick_tensor(pick_element(), dims, random), integers(repeats)},
                   .constant = {false, true}},
                  "copy");
  }));
}

TEST(MovementKernel, ExpandsFromAnyOrderIntoAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    std::mt19937 random = pick_random();
    const Dims to = pick_lengths(4, 1);
    const Dims from = pick_narrower(to);
    const Case c{.op = "Expand",
                 .inputs = {pick_tensor(pick_element(), from, random), integers(to)},
                 .constant = {false, true}};
    CaseRunner runner(c);
    KernelCall call = runner.call();
    const auto pick_order = [&](std::size_t rank) {
      AxisOrder order = whole_order({}, rank);
      if (pick(0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
      return normal_order(order);
    };
    call.inputs[0] = pick_order(from.size());
    call.output = pick_order(to.size());
    const Way way = prepare(call);
    RC_ASSERT(way.implementation == "copy");
    RC_ASSERT(same_places(from, way.input_orders[0], call.inputs[0]));
    const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
    RC_ASSERT(identical(runner.run_in_every_cut(way)[0], expected));
  }));
}

TEST(ChainKernel, DoesStepsWithNumbersOfAnyNameOnEveryInstructionSet) {
  check_on_every_isa([] {
    std::mt19937 random = pick_random();
    Case c;
    c.op = *rc::gen::element<std::string>("Selu", "Celu", "Shrink", "ThresholdedRelu");
    const auto some = [] { return static_cast<float>(pick(1, 8)) / 4; };
    if (c.op != "Shrink") c.attributes.set("alpha", some());
    if (c.op == "Selu") c.attributes.set("gamma", some());
    if (c.op == "Shrink") c.attributes = {{"bias", some()}, {"lambd", some()}};
    Tensor x = random_tensor(pick_lengths(3), random);
    for (float& element : x.mutable_data<float>()) element *= 3;
    c.inputs = {x};
    expect_kernel(c, "chain", 1e-6);
  });
}

TEST(ChainKernel, TakesSlopesAndRemaindersOnEveryInstructionSet) {
  check_on_every_isa([] {
    std::mt19937 random = pick_random();
    const Dims dims = pick_lengths(4);
    Case c;
    c.op = *rc::gen::element<std::string>("PRelu", "Mod");
    if (c.op == "Mod") c.attributes.set("fmod", 1);
    c.inputs = {random_tensor(dims, random), random_tensor(pick_narrower(dims), random)};
    expect_kernel(c, "chain");
  });
}

TEST(ChainKernel, LeavesTheOtherRemainderToEvaluate) {
  std::mt19937 random(1);
  const Case c{.op = "Mod", .inputs = {random_tensor({9}, random), random_tensor({9}, random)}};
  EXPECT_EQ(run_kernel(c).implementation, "evaluate");
}

TEST(ChainKernel, TakesAnglesOfEverySize) {
  Tensor x = Tensor::uninitialised({ElementType::F32, {3, 100}});
  float next = 1e-3F;
  for (float& element : x.mutable_data<float>()) element = next = next * -1.2F;
  ASSERT_GT(std::fabs(next), 1e20F);
  for (const Isa limit : kEveryIsa) {
    const LimitedIsa limited(limit);
    for (const std::string op : {"Sin", "Cos"}) {
      std::string used;
      EXPECT_EQ(compare_with_evaluate({.op = op, .inputs = {x}}, 2e-7, &used), "") << op;
      EXPECT_EQ(used, "chain");
    }
  }
}

}  // namespace
}  // namespace braid::cpu
