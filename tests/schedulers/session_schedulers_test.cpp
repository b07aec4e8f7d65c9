// Every scheduler, as a user meets it: random models through a Session give the same numbers bit by
// bit, in Plans that obey edits and stay within budgets; simulated devices plan the same models.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <braid/session.h>

#include "onnx/testing/models.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

using namespace onnx::testing;

constexpr std::int64_t kRows = 8;
constexpr int kNodes = 24;

/// Nodes that read one or two of the values before them; what nothing reads is summed up.
std::vector<onnx::proto::NodeProto> random_nodes(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<onnx::proto::NodeProto> nodes;
  Strings values = {"x"};
  std::vector<bool> read = {true};
  for (int i = 0; i < kNodes; ++i) {
    const auto pick = [&] {
      const std::size_t at = values.size() - 1 - engine() % std::min<std::size_t>(values.size(), 6);
      read[at] = true;
      return values[at];
    };
    const std::string name = fmt::format("v{}", i);
    switch (engine() % 4) {
      case 0:
        nodes.push_back(node("Softmax", {pick()}, {name}));
        break;
      case 1:
        nodes.push_back(node("Tanh", {pick()}, {name}));
        break;
      case 2:
        nodes.push_back(node("Add", {pick(), pick()}, {name}));
        break;
      default:
        nodes.push_back(node("Mul", {pick(), pick()}, {name}));
    }
    values.push_back(name);
    read.push_back(false);
  }
  Strings open;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!read[i]) open.push_back(values[i]);
  nodes.push_back(node("Sum", open, {"y"}));
  return nodes;
}

Tensor input() {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, {kRows, 4}});
  float next = -1.5F;
  for (float& x : tensor.mutable_data<float>()) x = next += 0.125F;
  return tensor;
}

class SessionSchedulers : public testing::Test {
 protected:
  std::filesystem::path model(std::uint64_t seed) {
    return folder_.write(
        fmt::format("{}.onnx", seed),
        model_of(random_nodes(seed), 17, {std::to_string(kRows), "4"}).SerializeAsString());
  }
  static SessionOptions options(std::string_view scheduler) {
    SessionOptions options;
    options.scheduler = scheduler;
    options.threads = 3;
    return options;
  }

  Folder folder_;
  const std::map<std::string, Tensor> inputs_ = {{"x", input()}};
};

TEST_F(SessionSchedulers, NoneChangesABit) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto path = model(seed);
    const Tensor expected = Session(path).run(inputs_)[0].second;
    for (const Scheduler& scheduler : schedulers()) {
      SCOPED_TRACE(fmt::format("{}, seed {}", scheduler.name, seed));
      Session session(path, options(scheduler.name));
      for (int run = 0; run < 3; ++run)
        EXPECT_TRUE(identical(session.run(inputs_)[0].second, expected));
    }
  }
}

TEST_F(SessionSchedulers, PinnedNodesAreWhereTheyWerePinned) {
  for (const Scheduler& scheduler : schedulers()) {
    SCOPED_TRACE(scheduler.name);
    SessionOptions pinned = options(scheduler.name);
    pinned.canonicalise = false;
    // Elementwise nodes may run as one, so these are others.
    Strings names;
    for (const auto& each : random_nodes(2))
      if (each.op_type() == "Softmax") names.push_back(each.output(0));
    ASSERT_GE(names.size(), 2);
    pinned.edits =
        fmt::format("pin {0} stream 2\npin {1} stream 1\nbefore {0} {1}\n", names[0], names[1]);
    Session session(model(2), pinned);
    const auto plan = nlohmann::json::parse(session.plan_json(inputs_));
    const auto has = [&](std::size_t stream, const std::string& name) {
      for (const auto& step : plan["streams"].at(stream))
        if (step["node"] == name) return true;
      return false;
    };
    EXPECT_TRUE(has(2, names[0]));
    EXPECT_TRUE(has(1, names[1]));
    EXPECT_TRUE(
        identical(session.run(inputs_)[0].second, Session(model(2)).run(inputs_)[0].second));
  }
}

TEST_F(SessionSchedulers, BudgetsHold) {
  for (const Scheduler& scheduler : schedulers()) {
    SCOPED_TRACE(scheduler.name);
    SessionOptions all = options(scheduler.name);
    all.canonicalise = false;
    const auto arena = [&](const SessionOptions& with) {
      return nlohmann::json::parse(Session(model(3), with).plan_json(inputs_))["arena_bytes"]
          .get<std::int64_t>();
    };
    const std::int64_t free = arena(all);
    all.arena_budget = free;
    EXPECT_LE(arena(all), free);
    all.arena_budget = 1;
    EXPECT_THROW(arena(all), Error);
  }
}

TEST_F(SessionSchedulers, PlanForASimulatedDeviceToo) {
  for (const Scheduler& scheduler : schedulers()) {
    SessionOptions simulated = options(scheduler.name);
    simulated.device = "sim:a100";
    const std::string plan = Session(model(4), simulated).plan_json(inputs_);
    EXPECT_EQ(plan, Session(model(4), simulated).plan_json(inputs_)) << scheduler.name;
  }
}

}  // namespace
}  // namespace braid
