#include "measure/exact_cuts.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/signature.h"
#include "devices/open.h"
#include "measure/profile.h"
#include "ops/builder.h"
#include "pipeline/stages.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A Program whose first output has another last bit.
class Spoilt : public Program {
 public:
  explicit Spoilt(std::unique_ptr<Program> program) : program_(std::move(program)) {}
  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions& options) override {
    std::vector<Tensor> outputs = program_->run(inputs, options);
    if (!outputs.empty()) outputs[0].mutable_bytes()[0] ^= std::byte{1};
    return outputs;
  }

 private:
  std::unique_ptr<Program> program_;
};

/// The CPU with a library that gets Softmax wrong whenever it is cut along one axis.
class WrongWhenCut : public Device {
 public:
  explicit WrongWhenCut(int axis) : axis_(axis) {}

  const DeviceSpec& spec() const override { return cpu_->spec(); }
  std::string fingerprint() const override { return "a wrong library"; }
  const Meter* meter() const override { return cpu_->meter(); }
  const CostModel& modelled_costs() const override { return cpu_->modelled_costs(); }
  std::optional<std::string> rejects(const Graph& graph, NodeId node) const override {
    return cpu_->rejects(graph, node);
  }
  Graph lower_nodes(const Graph& graph, const LowerOptions& options) const override {
    return cpu_->lower(graph, options).graph;
  }
  std::vector<std::unique_ptr<Program>> compile(const Graph& lowered,
                                                std::span<const Plan> plans) const override {
    auto programs = cpu_->compile(lowered, plans);
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (is_wrong(lowered, plans[i]))
        programs[i] = std::make_unique<Spoilt>(std::move(programs[i]));
    return programs;
  }

 private:
  bool is_wrong(const Graph& lowered, const Plan& plan) const {
    for (const auto& stream : plan.streams)
      for (const Step& step : stream)
        if (step.parts > 1 && step.cut.axis == axis_ && lowered.node(step.node).op == "Softmax")
          return true;
    return false;
  }

  const int axis_;
  std::unique_ptr<Device> cpu_ = open_device("cpu", {.threads = 2});
};

constexpr const char* kModel = "x: f32[8,64]\ny = Softmax(x) axis=1\nz = Relu(y)";
constexpr int kRows = 0;
constexpr int kNone = 7;

class ExactCuts : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "braid-cuts-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    options.cache = (folder / "profiles.db").string();
    options.measure = true;
    options.warn = [this](const std::string& warning) { warnings.push_back(warning); };
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static Graph lower(const Device& device) {
    return device.lower(parse(kModel), device.modelled_costs());
  }
  static NodeId softmax(const Graph& lowered) { return lowered.value(lowered.find("y")).producer; }

  std::filesystem::path folder;
  ProfileOptions options;
  std::vector<std::string> warnings;
};

TEST_F(ExactCuts, PartsAreComparedWithTheWhole) {
  const WrongWhenCut wrong(kRows);
  const WrongWhenCut right(kNone);
  const Graph lowered = lower(right);
  EXPECT_FALSE(parts_give_the_whole(lowered, softmax(lowered), 2, wrong));
  EXPECT_TRUE(parts_give_the_whole(lowered, softmax(lowered), 2, right));
}

TEST_F(ExactCuts, ACutThatDiffersIsRefusedAndToldOf) {
  const WrongWhenCut device(kRows);
  const Graph lowered = lower(device);
  ASSERT_FALSE(lowered.node(softmax(lowered)).lowering.cuts.empty());
  const Profile first = profile(lowered, device, options);
  ASSERT_THAT(first.refused, SizeIs(1));
  EXPECT_THAT(first.refused[0].parts, HasSubstr("Softmax(f32[8,64])"));
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("other bits than the whole"));
  const Graph without = without_cuts(lowered, first.refused);
  EXPECT_THAT(without.node(softmax(without)).lowering.cuts, IsEmpty());
  for (const NodeId id : lowered.node_ids())
    if (lowered.node(id).op != "Softmax") {
      EXPECT_EQ(without.node(id).lowering, lowered.node(id).lowering);
    }
}

TEST_F(ExactCuts, WhatWasFoundIsRememberedAndTriedAgainOnlyIfAsked) {
  const Graph lowered = lower(WrongWhenCut(kRows));
  const Profile found = profile(lowered, WrongWhenCut(kRows), options);
  const WrongWhenCut mended(kNone);  // but under the same fingerprint
  options.measure = false;
  EXPECT_EQ(profile(lowered, mended, options).refused, found.refused);
  options.measure = true;
  EXPECT_EQ(profile(lowered, mended, options).refused, found.refused);
  options.remeasure = true;
  EXPECT_THAT(profile(lowered, mended, options).refused, IsEmpty());
}

TEST_F(ExactCuts, NoPlanUsesARefusedCut) {
  const WrongWhenCut device(kRows);
  for (const char* scheduler : {"sequential", "braid", "wavefront"}) {
    PipelineOptions how;
    how.plan.scheduler = scheduler;
    how.costs = options;
    const Runnable prepared = prepare(parse(kModel), device, how);
    for (const auto& stream : prepared.plan.streams)
      for (const Step& step : stream)
        if (prepared.lowered().node(step.node).op == "Softmax") {
          EXPECT_EQ(step.parts, 1);
        }
  }
}

}  // namespace
}  // namespace braid
