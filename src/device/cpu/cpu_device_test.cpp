#include "device/cpu/cpu_device.h"

#include <thread>

#include <fmt/format.h>
#include <xmmintrin.h>

#include "base/error.h"
#include "device/cpu/testing/kernels.h"
#include "graph/hash.h"
#include "ops/builder.h"
#include "plan/verify.h"

namespace braid::cpu {
namespace {

std::vector<Tensor> random_inputs(const Graph& graph) {
  std::mt19937 random(7);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs())
    inputs.push_back(random_tensor(graph.value(id).type.dims, random, Numbers::SmallIntegers));
  return inputs;
}

/// Runs a graph on the device and with `evaluate`.
void expect_same_as_evaluate(std::string_view text) {
  const Graph graph = parse(text);
  const std::vector<Tensor> inputs = random_inputs(graph);
  const std::vector<Tensor> expected = evaluate(graph, inputs);
  const std::vector<Tensor> got = compile_on_cpu(graph)->run(inputs);
  ASSERT_EQ(got.size(), graph.outputs().size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(difference(got[i], expected[graph.outputs()[i].value.at()], 1e-6), "") << i;
}

TEST(CpuDevice, RunsASmallGraph) {
  expect_same_as_evaluate(R"(
      x: f32[2,3]
      y: f32[3]
      a = Add(x, y)
      b = Relu(a)
      c = Mul(b, w: f32[2,1])
      return c)");
}

TEST(CpuDevice, GivesValuesThatAreAlsoReadInside) {
  expect_same_as_evaluate(R"(
      x: f32[2,3]
      a = Add(x, x)
      b = Relu(a)
      return a
      return b
      return a as "again")");
}

TEST(CpuDevice, PassesInputsAndConstantsThrough) {
  const Graph graph = [] {
    Graph g;
    Builder builder(g);
    const ValueId x = g.add_input("x", {ElementType::F32, {2}});
    const ValueId w = builder.constant("w", Tensor::of<float>({2}, {3, 4}));
    g.add_output(x, "same");
    g.add_output(w, "weight");
    g.add_output(builder.add("Add", {x, w}), "sum");
    return g;
  }();
  const std::vector<Tensor> inputs = {Tensor::of<float>({2}, {1, 2})};
  const std::vector<Tensor> outputs = compile_on_cpu(graph)->run(inputs);
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_TRUE(identical(outputs[0], inputs[0]));
  EXPECT_NE(outputs[0].bytes().data(), inputs[0].bytes().data());
  EXPECT_TRUE(identical(outputs[1], Tensor::of<float>({2}, {3, 4})));
  EXPECT_TRUE(identical(outputs[2], Tensor::of<float>({2}, {4, 6})));
}

TEST(CpuDevice, TakesEmptyTensorsAndScalars) {
  expect_same_as_evaluate(R"(
      x: f32[0,3]
      y: f32[1,3]
      s: f32[]
      a = Add(x, y)
      b = Relu(a)
      c = Mul(s, s)
      return b
      return c)");
}

TEST(CpuDevice, ReadsATransposedViewOfNothing) {
  expect_same_as_evaluate(R"(
    x: f32[3,0,2]
    t = Transpose(x) perm=[1,2,0]
    y = Max(t, t)
  )");
}

TEST(CpuDevice, TakesUnalignedInputs) {
  const Graph graph = parse("x: f32[3]\ny = Neg(x)");
  const float numbers[] = {1, 2, 3};
  std::vector<std::byte> bytes(sizeof(numbers) + 1);
  std::memcpy(bytes.data() + 1, numbers, sizeof(numbers));
  const Tensor input = Tensor::borrow({ElementType::F32, {3}}, bytes.data() + 1, nullptr);
  const std::vector<Tensor> outputs = compile_on_cpu(graph)->run({&input, 1});
  EXPECT_TRUE(identical(outputs[0], Tensor::of<float>({3}, {-1, -2, -3})));
}

TEST(CpuDevice, ChecksInputs) {
  const auto program = compile_on_cpu(parse("x: f32[3]\ny = Neg(x)"));
  EXPECT_THROW(program->run({}), Error);
  const Tensor wrong = Tensor::of<float>({2}, {1, 2});
  EXPECT_THROW(program->run({&wrong, 1}), Error);
}

TEST(CpuDevice, RefusesThePlanOfAnotherGraph) {
  const auto device = make_device({});
  const auto lower = [&](std::string_view text) {
    return device->lower(parse(text), device->modelled_costs());
  };
  const Graph one = lower("x: f32[3]\ny = Neg(x)");
  const Graph other = lower("x: f32[3]\ny = Relu(x)");
  Plan plan = sequential(one, device->modelled_costs(), device->spec(), {});
  EXPECT_NO_THROW(device->compile(one, plan));
  EXPECT_THROW(device->compile(other, plan), Error);
  plan.device = "cuda:0";
  EXPECT_THROW(device->compile(one, plan), Error);
}

TEST(CpuDevice, RefusesPlacesOutsideTheArena) {
  const auto device = make_device({});
  const Graph graph =
      device->lower(parse("x: f32[3]\na = Neg(x)\ny = Softmax(a)"), device->modelled_costs());
  const Plan good = sequential(graph, device->modelled_costs(), device->spec(), {});
  for (const std::int64_t offset :
       {std::int64_t{-1}, std::int64_t{4}, good.arena_bytes, std::int64_t{1} << 62}) {
    Plan plan = good;
    plan.placements[graph.find("a").at()].offset = offset;
    EXPECT_THROW(device->compile(graph, plan), Error) << offset;
  }
}

TEST(CpuDevice, RefusesRowsThatLieApartWhereAKernelReadsOrCannotWriteThem) {
  const auto device = make_device({});
  for (const std::string_view text :
       {"x: f32[3,5]\na = Neg(x)\ny = Softmax(a)", "x: f32[3,5]\na = Softmax(x)\ny = Softmax(a)"}) {
    const Graph graph = device->lower(parse(text), device->modelled_costs());
    Plan plan = sequential(graph, device->modelled_costs(), device->spec(), {});
    plan.placements[graph.find("a").at()] = {plan.arena_bytes, {64, 4}};
    plan.arena_bytes += 1024;
    verify(graph, plan);
    EXPECT_THROW(device->compile(graph, plan), Error) << text;
  }
}

TEST(CpuDevice, TracesEveryStep) {
  const auto program = compile_on_cpu(parse("x: f32[3]\na = Neg(x)\ny = Softmax(a) @\"last\""));
  const Tensor input = Tensor::of<float>({3}, {1, 2, 3});
  Trace trace;
  program->run({&input, 1}, {.trace = &trace});
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events[0].name, "a");
  EXPECT_EQ(trace.events[0].category, "Neg");
  EXPECT_EQ(trace.events[1].name, "last");
  EXPECT_LE(trace.events[0].begin_us, trace.events[0].end_us);
  EXPECT_LE(trace.events[0].end_us, trace.events[1].begin_us);
}

TEST(CpuDevice, TracesTheStepsOfAChain) {
  const auto program = compile_on_cpu(parse("x: f32[3]\na = Neg(x)\ny = Relu(a) @\"last\""));
  const Tensor input = Tensor::of<float>({3}, {1, 2, 3});
  Trace trace;
  program->run({&input, 1}, {.trace = &trace});
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].name, "last");
  EXPECT_EQ(trace.events[0].category, "Chain");
  EXPECT_EQ(trace.events[0].kernel, "Neg, Relu");
}

TEST(CpuDevice, FlushesDenormalsAndRestoresTheCallersSettings) {
  const auto program = compile_on_cpu(parse("x: f32[1]\ny = Mul(x, x)"));
  const unsigned before = _mm_getcsr();
  const Tensor tiny = Tensor::of<float>({1}, {1e-20F});
  const std::vector<Tensor> outputs = program->run({&tiny, 1});
  EXPECT_EQ(outputs[0].data<float>()[0], 0);
  EXPECT_EQ(_mm_getcsr() & ~0x3FU, before & ~0x3FU);
}

TEST(CpuDevice, ManyThreadsGetTheSameAnswer) {
  const Graph graph = parse(R"(
      x: f32[4,64]
      a = Add(x, w: f32[64])
      b = Sigmoid(a)
      c = Mul(a, b)
      d = Sub(c, x)
      return d)");
  const auto program = compile_on_cpu(graph);
  std::vector<std::vector<Tensor>> inputs;
  std::vector<Tensor> expected;
  for (unsigned i = 0; i < 8; ++i) {
    std::mt19937 random(i);
    inputs.push_back({random_tensor({4, 64}, random)});
    expected.push_back(program->run(inputs.back())[0]);
  }
  std::vector<int> wrong(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round)
        if (!identical(program->run(inputs[i])[0], expected[i])) ++wrong[i];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
}

}  // namespace
}  // namespace braid::cpu
