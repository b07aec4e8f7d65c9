#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "onnx/save.h"
#include "onnx/testing/models.h"
#include "ops/testing/random_network.h"
#include "pipeline/served_model.h"
#include "tensor/random_tensor.h"
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
  EXPECT_EQ(complaint_from([&] { run(prepared, {&small, 1}); }),
            "bad model or input: input 'x' has type f32[2], expected f32[1,512,2]");
}

SessionOptions served_by(std::string scheduler) {
  SessionOptions options;
  options.scheduler = std::move(scheduler);
  return options;
}

TEST(ServingOnFake, PlansOncePerShapeAndForgetsTheOldest) {
  using namespace onnx::testing;
  const Folder folder;
  const auto path = folder.write(
      "m.onnx", model_of({node("Relu", {"x"}, {"y"})}, 17, {"batch", "3"}).SerializeAsString());
  int planned = 0;
  SessionOptions options = served_by("nimble");
  options.max_plans = 2;
  options.progress = [&](std::string_view phase, std::int64_t, std::int64_t) {
    if (phase == "scheduling") ++planned;
    return true;
  };
  ServedModel model(path, options, make_fake_device());
  const auto plans_of = [&](std::int64_t batch) {
    const int before = planned;
    const Tensor x = random_tensor({ElementType::F32, {batch, 3}}, {-1, 1}, 1);
    const Tensor y = model.run({{"x", x}}).at(0).second;
    EXPECT_TRUE(identical(y, evaluate("Relu", {}, std::vector{x})[0]));
    return planned > before;
  };
  EXPECT_TRUE(plans_of(1));
  EXPECT_TRUE(plans_of(2));
  EXPECT_FALSE(plans_of(1));
  EXPECT_TRUE(plans_of(3));
  EXPECT_FALSE(plans_of(1)) << "used more recently than 2";
  EXPECT_TRUE(plans_of(2));
}

TEST(ServingOnFake, SaysOnceThatItPlansAgainAndAgainAndWhatHelps) {
  using namespace onnx::testing;
  const Folder folder;
  const auto path = folder.write(
      "m.onnx", model_of({node("Relu", {"x"}, {"y"})}, 17, {"batch", "3"}).SerializeAsString());
  std::vector<std::string> warnings;
  SessionOptions options = served_by("sequential");
  options.max_plans = 2;
  options.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  ServedModel model(path, options, make_fake_device());
  const auto run = [&](std::int64_t batch) {
    model.run({{"x", random_tensor({ElementType::F32, {batch, 3}}, {-1, 1}, 1)}});
  };
  for (const std::int64_t batch : {1, 2, 1, 2, 1, 2, 3}) run(batch);
  EXPECT_TRUE(warnings.empty()) << "one Plan was dropped, and that may happen: " << warnings[0];
  for (int round = 0; round < 4; ++round)
    for (std::int64_t batch = 1; batch <= 3; ++batch) run(batch);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "'m.onnx' was planned 4 times, since its inputs come in ever other sizes and only 2 "
            "Plans are kept; each time, planning takes longer than the answer. Pad inputs to a few "
            "sizes, or keep more Plans: SessionOptions::max_plans");
}

TEST(ServingOnFake, SchedulersDoNotChangeTheAnswer) {
  const onnx::testing::Folder folder;
  const auto path = folder.path() / "m.onnx";
  onnx::save(random_network(9, 20), path);
  const Tensor x = other_inputs(3)[0];
  std::vector<std::pair<std::string, Tensor>> first;
  for (const char* scheduler : {"sequential", "opara", "braid"}) {
    ServedModel model(path, served_by(scheduler), make_fake_device());
    const auto outputs = model.run({{model.inputs()[0].name, x}});
    if (first.empty()) first = outputs;
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_TRUE(identical(outputs[i].second, first[i].second)) << scheduler;
  }
}

}  // namespace
}  // namespace braid
