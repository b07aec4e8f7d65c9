#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "ops/testing/random_network.h"
#include "tests/devices/fake_device.h"
#include "tests/devices/planning.h"
#include "tests/devices/subject.h"

/// What a Session does with what it has prepared.

namespace braid {
namespace {

TEST(RunningOnFake, ManyCallersShareWhatWasPrepared) {
  const auto device = make_fake_device();
  const Graph graph = random_network(6, 20);
  const Runnable prepared = prepare(graph, *device, without_clocks("opara"));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (std::uint32_t caller = 1; caller <= 4; ++caller)
    callers.emplace_back([&, caller] {
      const std::vector<Tensor> inputs = other_inputs(caller);
      const std::vector<Tensor> expected = evaluated_outputs(graph, inputs);
      for (int round = 0; round < 3; ++round)
        if (!same_bits(run(prepared, inputs), expected)) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RunningOnFake, APoisonedRunThatRacesSaysSo) {
  const auto device = make_fake_device({.flaw = Flaw::IgnoresWaits});
  const Runnable prepared = prepare(random_network(4, 25), *device, without_clocks("nimble"));
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string complaint =
        complaint_from([&] { run(prepared, other_inputs(1), {.poison_seed = seed}); });
    if (complaint.starts_with("internal error: a race: ")) ++told;
  }
  EXPECT_GT(told, 0);
}

TEST(RunningOnFake, InputsThatDoNotFitAreRefused) {
  const auto device = make_fake_device();
  const Runnable prepared = prepare(wide_branches(), *device, without_clocks("sequential"));
  EXPECT_EQ(complaint_from([&] { run(prepared, {}); }),
            "usage error: the model has 1 inputs, 0 tensors were given");
  const Tensor small = Tensor::zeros({ElementType::F32, {2}});
  EXPECT_EQ(complaint_from([&] {
              run(prepared, {&small, 1});
            }),
            "bad model or input: input 'x' has type f32[2], expected f32[1,512,2]");
}

}  // namespace
}  // namespace braid
