#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "device/cpu/lanes/program.h"
#include "device/cpu/testing/kernels.h"
#include "ops/testing/random_network.h"
#include "plan/one_stream.h"
#include "plan/shuffle.h"
#include "plan/testing/random_plan.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"

namespace braid::cpu {
namespace {

struct Network {
  Graph lowered;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;  ///< of the Plan with one stream
};

Network make_network(const Device& device, std::uint32_t seed, int nodes) {
  Network network;
  network.lowered = device.lower(random_network(seed, nodes), device.modelled_costs());
  std::mt19937 random(seed);
  network.inputs = {random_tensor({2, 8, 6, 6}, random)};
  const Plan plan = one_stream(network.lowered, "cpu");
  network.expected = device.compile(network.lowered, plan)->run(network.inputs);
  return network;
}

bool all_identical(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, identical);
}

TEST(Lanes, GiveTheSameBitsWhateverThePlan) {
  constexpr int kLanes = 4;  // more than this machine may have cores
  const auto device = make_device({.threads = kLanes});
  int lanes_seen = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const Network network = make_network(*device, seed, 40);
    for (std::uint64_t plan_seed = 1; plan_seed <= 4; ++plan_seed) {
      SCOPED_TRACE(fmt::format("network {}, plan {}", seed, plan_seed));
      const Plan plan = random_plan(network.lowered, plan_seed, {.streams = kLanes});
      ASSERT_NO_THROW(verify(network.lowered, plan));
      const auto program = device->compile(network.lowered, plan);
      for (int round = 0; round < 3; ++round) {
        Trace trace;
        EXPECT_TRUE(
            all_identical(program->run(network.inputs, {.trace = &trace}), network.expected));
        EXPECT_THAT(trace_faults(network.lowered, plan, trace), testing::IsEmpty());
        for (const TraceEvent& event : trace.events) lanes_seen |= 1 << event.stream;
      }
    }
  }
  EXPECT_EQ(lanes_seen, (1 << kLanes) - 1);
}

TEST(Lanes, GiveTheSameBitsWhenPoisonedAndShuffled) {
  const auto device = make_device({.threads = 3});
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const Network network = make_network(*device, seed, 40);
    const Plan plan = random_plan(network.lowered, seed);
    for (std::uint64_t poison = 1; poison <= 6; ++poison) {
      SCOPED_TRACE(fmt::format("network {}, poison {}", seed, poison));
      const Plan other = shuffled(network.lowered, plan, poison);
      ASSERT_NO_THROW(verify(network.lowered, other));
      const auto program = device->compile(network.lowered, other);
      for (int round = 0; round < 2; ++round)
        EXPECT_TRUE(
            all_identical(program->run(network.inputs, {.poison_seed = poison}), network.expected));
    }
  }
}

TEST(Lanes, PoisonShowsAReadBeforeTheWrite) {
  const auto device = make_device({.threads = 1});
  const Graph lowered = device->lower(parse("x: f32[2]\na = Relu(x)\ny = Softmax(a)\nreturn y"),
                                      device->modelled_costs());
  const Tensor input = Tensor::of<float>({2}, {1, 2});
  const Plan good = one_stream(lowered, "cpu");
  const Tensor expected = device->compile(lowered, good)->run({&input, 1})[0];
  Plan bad = good;  // verify() would refuse it
  std::swap(bad.streams[0][0], bad.streams[0][1]);
  const auto program = device->compile(lowered, bad);
  program->run({&input, 1});
  // The value of the run before lies there still.
  EXPECT_TRUE(identical(program->run({&input, 1})[0], expected));
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    EXPECT_FALSE(identical(program->run({&input, 1}, {.poison_seed = seed})[0], expected));
}

TEST(Lanes, TraceTellsStepsPartsAndWaits) {
  const auto device = make_device({.threads = 3});
  const Network network = make_network(*device, 5, 40);
  const Plan plan = random_plan(network.lowered, 1);
  const auto program = device->compile(network.lowered, plan);
  std::size_t steps = 0;
  std::size_t parts = 0;
  for (const auto& stream : plan.streams)
    for (const Step& step : stream)
      if (!is_view(network.lowered.node(step.node))) {
        ++steps;
        if (step.parts > 1) ++parts;
      }
  ASSERT_GT(parts, 0U);
  Trace trace;
  program->run(network.inputs, {.trace = &trace});
  std::vector<double> ended(3, 0);
  for (const TraceEvent& event : trace.events) {
    EXPECT_LE(ended[static_cast<std::size_t>(event.stream)], event.begin_us);
    EXPECT_LE(event.begin_us, event.end_us);
    ended[static_cast<std::size_t>(event.stream)] = event.end_us;
    if (event.is_wait()) continue;
    --steps;
    if (event.parts > 1) --parts;
  }
  EXPECT_EQ(steps, 0U);
  EXPECT_EQ(parts, 0U);
}

TEST(Lanes, RefuseAPlanWithMoreStreamsThanThreads) {
  const auto device = make_device({.threads = 2});
  const Network network = make_network(*device, 1, 20);
  try {
    device->compile(network.lowered, random_plan(network.lowered, 1, {.streams = 5}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_NE(error.message().find("ask for 5 threads"), std::string::npos) << error.message();
  }
}

/// Many callers, each with its own input, on several Programs of one device.
void expect_right_answers(int lanes, int callers, int rounds) {
  const auto device = make_device({.threads = lanes});
  std::vector<Network> networks;
  std::vector<std::unique_ptr<Program>> programs;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    networks.push_back(make_network(*device, seed, 25));
    const Plan plan = random_plan(networks.back().lowered, seed, {.streams = lanes});
    programs.push_back(device->compile(networks.back().lowered, plan));
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller)
    threads.emplace_back([&, caller] {
      for (int round = 0; round < rounds; ++round) {
        const auto i = static_cast<std::size_t>(caller + round) % programs.size();
        if (!all_identical(programs[i]->run(networks[i].inputs), networks[i].expected)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << lanes << " lanes, " << callers << " callers";
}

TEST(Lanes, ManyCallersGetTheirOwnAnswers) {
  expect_right_answers(2, 3, 60);   // two at once on one lane, or one on two
  expect_right_answers(4, 3, 60);   // several runs share the lanes
  expect_right_answers(2, 64, 10);  // most wait for their turn
  expect_right_answers(8, 8, 20);   // more lanes than cores
}

/// A Gather whose index is an input, so that a run can be made to fail.
struct Faulty {
  Graph lowered;
  std::unique_ptr<Program> program;

  Faulty(const Device& device, bool on_the_callers_lane) {
    lowered = device.lower(parse(R"(
        x: f32[4]
        i: i64[1]
        a = Relu(x)
        b = Gather(a, i) axis=0
        c = Erf(a)
        d = Relu(c)
        e = Add(d, b)
        return e)"),
                           device.modelled_costs());
    Plan plan = one_stream(lowered, "cpu");
    const std::vector<Step> steps = plan.streams[0];
    plan.streams.assign(2, {});
    const std::size_t lane_of_gather = on_the_callers_lane ? 0 : 1;
    for (const Step& step : steps) {
      const bool is_gather = lowered.node(step.node).op == "Gather";
      plan.streams[is_gather ? lane_of_gather : 1 - lane_of_gather].push_back(step);
    }
    const auto stream = [](std::size_t s) { return StreamId(static_cast<std::int64_t>(s)); };
    plan.streams[lane_of_gather][0].waits = {{stream(1 - lane_of_gather), 0}};
    plan.streams[1 - lane_of_gather].back().waits = {{stream(lane_of_gather), 0}};
    place(lowered, plan);
    verify(lowered, plan);
    program = device.compile(lowered, plan);
  }

  std::vector<Tensor> run(std::int64_t index) const {
    const std::vector<Tensor> inputs = {Tensor::of<float>({4}, {1, 2, 3, 4}),
                                        Tensor::of<std::int64_t>({1}, {index})};
    return program->run(inputs);
  }
};

TEST(Lanes, AFailureReachesTheCallerOnceAndTheNextRunWorks) {
  for (const bool on_the_callers_lane : {false, true}) {
    const auto device = make_device({.threads = 2});
    const Faulty faulty(*device, on_the_callers_lane);
    const Tensor good = faulty.run(3)[0];
    for (int round = 0; round < 20; ++round) {
      try {
        faulty.run(100);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        ASSERT_FALSE(error.notes().empty());
        EXPECT_NE(error.notes().back().find("while running 'b' (Gather)"), std::string::npos)
            << error.what();
      }
      EXPECT_TRUE(identical(faulty.run(3)[0], good));
    }
  }
}

TEST(Lanes, AProgramThatEndsWaitsForItsRuns) {
  for (int round = 0; round < 10; ++round) {
    auto device = make_device({.threads = 2});
    const Network network = make_network(*device, 3, 40);
    device.reset();
    auto pool = std::make_shared<LanePool>(2, 2);
    KernelStore kernels(network.lowered);
    auto program = make_program(network.lowered, random_plan(network.lowered, 2, {.streams = 2}),
                                pool, kernels);
    // Both places are taken, so the run is under way but cannot go on yet.
    std::optional<Admission::Turn> one(std::in_place, pool->admission());
    std::optional<Admission::Turn> other(std::in_place, pool->admission());
    bool is_right = false;
    std::thread caller(
        [&, &p = *program] { is_right = all_identical(p.run(network.inputs), network.expected); });
    while (pool->admission().waiting() == 0) std::this_thread::yield();
    std::thread destroyer([&] { program.reset(); });
    one.reset();
    destroyer.join();
    caller.join();
    EXPECT_TRUE(is_right);
  }
}

}  // namespace
}  // namespace braid::cpu
