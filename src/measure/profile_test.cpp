#include "measure/profile.h"

#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "cost/signature.h"
#include "device/kernel_identity.h"
#include "device/one_node.h"
#include "devices/open.h"
#include "measure/calibrate.h"
#include "measure/wanted.h"
#include "ops/builder.h"

namespace braid {
namespace {

using testing::Each;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kNetwork = R"(
    x: f32[1,8,16,16]
    a = Conv(x, w: f32[8,8,3,3]) pads=[1,1,1,1]
    b = Conv(x, v: f32[8,8,3,3]) pads=[1,1,1,1]
    c = Relu(a)
    d = Concat(c, b) axis=1
    y = Softmax(d))";

class Profiling : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "braid-profile-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    options.cache = (folder / "profiles.db").string();
    calibrate_once();
    std::filesystem::copy_file(calibration, options.cache);
    options.warn = [this](const std::string& warning) { warnings.push_back(warning); };
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// A cache that knows the device but no operator.
  void calibrate_once() {
    if (!calibration.empty()) return;
    calibration = testing::TempDir() + fmt::format("braid-calibration-{}.db", ::getpid());
    ProfileCache cache(calibration, ProfileCache::Access::Write, {});
    calibrated_spec(*device, &cache, {.measure = true});
  }
  static void TearDownTestSuite() { std::filesystem::remove(calibration); }

  inline static std::filesystem::path calibration;
  std::unique_ptr<Device> device = open_device("cpu");
  Graph lowered = device->lower(parse(kNetwork), device->modelled_costs());
  std::filesystem::path folder;
  ProfileOptions options;
  std::vector<std::string> warnings;
};

TEST_F(Profiling, MeasuresAgainIfAskedTo) {
  options.measure = true;
  profile(lowered, *device, options);
  options.remeasure = true;
  const Profile again = profile(lowered, *device, options);
  EXPECT_EQ(again.measured, again.signatures);
  EXPECT_EQ(again.from_cache, 0);
}

TEST_F(Profiling, MeasuresWhatTheCacheLacksOnce) {
  options.measure = true;
  const Profile first = profile(lowered, *device, options);
  EXPECT_EQ(first.measured, first.signatures);
  EXPECT_EQ(first.from_cache, 0);
  EXPECT_THAT(first.failures, IsEmpty());
  const Profile second = profile(lowered, *device, options);
  EXPECT_EQ(second.measured, 0);
  EXPECT_EQ(second.from_cache, second.signatures);
  EXPECT_EQ(second.costs.entries(), first.costs.entries());
  EXPECT_THAT(warnings, IsEmpty());
}

/// The CPU, one of whose implementations is of another version.
class WithNewKernels : public Device {
 public:
  WithNewKernels(const Device& cpu, std::string implementation)
      : cpu_(cpu), implementation_(std::move(implementation)) {}

  const DeviceSpec& spec() const override { return cpu_.spec(); }
  std::string fingerprint() const override { return cpu_.fingerprint(); }
  std::string kernel_identity(std::string_view implementation) const override {
    return implementation == implementation_ ? "new" : cpu_.kernel_identity(implementation);
  }
  const Meter* meter() const override { return cpu_.meter(); }
  const CostModel& modelled_costs() const override { return cpu_.modelled_costs(); }
  std::optional<std::string> rejects(const Graph& graph, NodeId node) const override {
    return cpu_.rejects(graph, node);
  }
  Graph lower_nodes(const Graph& graph, const LowerOptions& options) const override {
    return cpu_.lower(graph, options).graph;
  }
  std::vector<std::unique_ptr<Program>> compile(const Graph& graph,
                                                std::span<const Plan> plans) const override {
    return cpu_.compile(graph, plans);
  }

 private:
  const Device& cpu_;
  std::string implementation_;
};

TEST_F(Profiling, OtherVersionsOfAKernelLeaveTheTimesOfOthers) {
  options.measure = true;
  const std::size_t all = profile(lowered, *device, options).signatures;
  const std::string softmax =
      lowered.node(lowered.value(lowered.find("y")).producer).lowering.implementation;
  options.measure = false;
  const WithNewKernels changed(*device, softmax);
  std::size_t lost = 0;
  for (const Wanted& one :
       wanted_signatures(lowered, device->modelled_costs(), device->spec().streams))
    if (lowered.node(one.node).lowering.implementation == softmax) ++lost;
  ASSERT_GT(lost, 0U);
  ASSERT_LT(lost, all);
  EXPECT_EQ(profile(lowered, changed, options).from_cache, all - lost);
  EXPECT_EQ(profile(lowered, *device, options).from_cache, all);
  EXPECT_EQ(profile(lowered, WithNewKernels(*device, "another"), options).from_cache, all);
  EXPECT_NE(kernel_identity(changed, lowered), kernel_identity(*device, lowered));
}

TEST_F(Profiling, TimesOfTwoVersionsAreKeptSideBySide) {
  options.measure = true;
  const Profile before = profile(lowered, *device, options);
  const std::string conv = lowered.node(lowered.node_ids()[0]).lowering.implementation;
  const WithNewKernels changed(*device, conv);
  const Profile after = profile(lowered, changed, options);
  EXPECT_GT(after.measured, 0U);
  options.measure = false;
  EXPECT_EQ(profile(lowered, *device, options).costs.entries(), before.costs.entries());
  EXPECT_EQ(profile(lowered, changed, options).costs.entries(), after.costs.entries());
}

TEST_F(Profiling, MeasuresNothingUnlessAsked) {
  options.cache = (folder / "none.db").string();
  const Profile result = profile(lowered, *device, options);
  EXPECT_EQ(result.measured, 0);
  EXPECT_THAT(result.costs.entries(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(options.cache));
  const NodeId conv = lowered.node_ids()[0];
  EXPECT_EQ(result.costs.cost(lowered, conv).time_us,
            device->modelled_costs().cost(lowered, conv).time_us);
}

constexpr const char* kOtherNetwork = R"(
    x: f32[1,8,20,20]
    a = Conv(x, w: f32[8,8,3,3]) pads=[1,1,1,1]
    y = Softmax(a))";

TEST_F(Profiling, OtherModelsAreScaledAsThisOneWasOff) {
  const Graph other = device->lower(parse(kOtherNetwork), device->modelled_costs());
  const ModelledShare alone = profile(other, *device, options).costs.modelled_share(other);
  EXPECT_EQ(alone.own + alone.borrowed, 0);
  EXPECT_DOUBLE_EQ(alone.factor(), 1);
  options.measure = true;
  profile(lowered, *device, options);
  options.measure = false;
  const Profile later = profile(other, *device, options);
  EXPECT_EQ(later.from_cache, 0);
  EXPECT_TRUE(later.knows_figures);
  const ModelledShare share = later.costs.modelled_share(other);
  EXPECT_EQ(share.own, 0);
  EXPECT_GT(share.borrowed, 0);
  EXPECT_DOUBLE_EQ(share.measured_us, 0);
  EXPECT_DOUBLE_EQ(share.modelled_us, alone.modelled_us);
  EXPECT_LE(share.low_us, share.scaled_us);
  EXPECT_GE(share.high_us, share.scaled_us);
  double sum_us = 0;
  for (const NodeId id : other.node_ids()) sum_us += later.costs.cost(other, id).time_us;
  EXPECT_NEAR(share.scaled_us, sum_us, 1e-6 * sum_us);
}

TEST_F(Profiling, OperatorsOfOtherKernelsLendNoScale) {
  options.measure = true;
  profile(lowered, *device, options);
  options.measure = false;
  const Graph other = device->lower(parse(kOtherNetwork), device->modelled_costs());
  const std::string conv = other.node(other.node_ids()[0]).lowering.implementation;
  const WithNewKernels changed(*device, conv);
  EXPECT_LT(profile(other, changed, options).costs.modelled_share(other).borrowed,
            profile(other, *device, options).costs.modelled_share(other).borrowed);
}

TEST_F(Profiling, CostsAreThoseThatWereMeasured) {
  options.measure = true;
  const Profile result = profile(lowered, *device, options);
  for (const NodeId id : lowered.node_ids()) {
    if (is_view(lowered.node(id))) continue;
    const Measurement* measured = result.costs.find(signature(lowered, id));
    ASSERT_NE(measured, nullptr) << describe(lowered, id);
    EXPECT_EQ(result.costs.cost(lowered, id).time_us, measured->time_us);
    EXPECT_GE(measured->time_beside_us, measured->time_us);
    EXPECT_GE(measured->samples, MeasureOptions().rounds_at_least);
  }
}

TEST_F(Profiling, WithoutACacheItMeasuresAndKeepsNothing) {
  options.measure = true;
  options.use_cache = false;
  options.cache = (folder / "none.db").string();
  EXPECT_GT(profile(lowered, *device, options).measured, 0);
  EXPECT_FALSE(std::filesystem::exists(options.cache));
}

TEST_F(Profiling, WhatWasMeasuredBeforeCtrlCIsKept) {
  options.measure = true;
  const std::size_t all = profile(lowered, *device, {}).signatures;
  std::int64_t last = 0;
  // After two thirds of the rounds every operator has been sampled often enough.
  options.progress = [&](std::string_view phase, std::int64_t done, std::int64_t total) {
    if (phase != "profiling") return true;
    EXPECT_GE(done, last);
    last = done;
    return done * 10 < total * 7;
  };
  try {
    profile(lowered, *device, options);
    FAIL() << "was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
  options.progress = {};
  options.measure = false;
  EXPECT_EQ(profile(lowered, *device, options).from_cache, all);
}

TEST_F(Profiling, AUselessCacheDoesNotStopIt) {
  options.measure = true;
  options.cache = "/proc/braid/profiles.db";
  const Profile result = profile(lowered, *device, options);
  EXPECT_EQ(result.measured, result.signatures);
  EXPECT_THAT(warnings, SizeIs(1));
}

TEST_F(Profiling, OtherWeightsOfTheSameShapeAreTheSameSignature) {
  const std::vector<Wanted> wanted = wanted_signatures(lowered, device->modelled_costs(), 1);
  int convs = 0;
  for (const Wanted& one : wanted)
    if (lowered.node(one.node).op == "Conv") {
      ++convs;
      EXPECT_EQ(one.uses, 2);
    }
  EXPECT_EQ(convs, 1);
}

TEST_F(Profiling, TheDevicesFiguresAreMeasuredOnceAndKept) {
  EXPECT_EQ(calibrated_spec(*device, nullptr, {}), std::nullopt);
  ProfileCache cache(folder / "new.db", ProfileCache::Access::Write, options.warn);
  EXPECT_EQ(calibrated_spec(*device, &cache, {}), std::nullopt);
  const std::optional<DeviceSpec> spec = calibrated_spec(*device, &cache, {.measure = true});
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->name, device->spec().name);
  EXPECT_EQ(spec->streams, device->spec().streams);
  for (const double figure : {spec->flops_per_us, spec->bytes_per_us_stream, spec->launch_us})
    EXPECT_GT(figure, 0);
  EXPECT_GE(spec->bytes_per_us, spec->bytes_per_us_stream);
  EXPECT_GE(spec->wait_us, 0);
  EXPECT_EQ(calibrated_spec(*device, &cache, {}), spec);
}

TEST_F(Profiling, FiguresOfABusyHourAreMeasuredAgainIfAskedTo) {
  ProfileCache cache(folder / "busy.db", ProfileCache::Access::Write, options.warn);
  SamplesBySignature slow;
  for (const std::string& figure : device->meter()->figures()) slow[figure].alone_us = {1e9};
  cache.keep(with_identity(device->fingerprint(), device->kernel_identity(kCalibration)), slow);
  const double busy = calibrated_spec(*device, &cache, {.measure = true})->launch_us;
  const auto again = calibrated_spec(*device, &cache, {.measure = true, .remeasure = true});
  EXPECT_LT(again->launch_us, busy);
  EXPECT_EQ(calibrated_spec(*device, &cache, {}), again);
}

TEST_F(Profiling, ANodeThatCannotRunAloneSaysWhy) {
  Graph graph = lowered;
  graph.set_lowering(NodeId(0), {"an implementation from elsewhere", 0, {}});
  std::vector<Probe> probes = {{NodeId(0)}, {NodeId(2)}};
  device->meter()->measure_nodes(*device, graph, probes, {}, {});
  EXPECT_THAT(probes[0].failure, HasSubstr("an implementation from elsewhere"));
  EXPECT_THAT(probes[0].alone_us, IsEmpty());
  EXPECT_EQ(probes[1].failure, "");
  EXPECT_THAT(probes[1].alone_us, SizeIs(Ge(MeasureOptions().rounds_at_least)));
  EXPECT_THAT(probes[1].alone_us, Each(Gt(0)));
}

TEST_F(Profiling, SlowNodesGetFewerRounds) {
  std::vector<Probe> probes = {{NodeId(0)}};
  MeasureOptions fewest;
  fewest.budget_us = 0;
  device->meter()->measure_nodes(*device, lowered, probes, fewest, {});
  EXPECT_THAT(probes[0].alone_us, SizeIs(fewest.rounds_at_least));
}

TEST(OneNode, KeepsWhatDecidesTheTime) {
  Graph graph = parse("x: f32[1,2,4,6]\ny = Relu(x)\nz = Mul(y, v: f32[6])\n");
  const NodeId mul(1);
  graph.set_lowering(mul, {"kernel", 64, {{2, 1}}});
  graph.set_layout(graph.node(mul).inputs[0], "nhwc");
  graph.set_layout(graph.node(mul).outputs[0], "nhwc");
  const OneNode one = one_node(graph, mul);
  EXPECT_EQ(signature(one.graph, one.node), signature(graph, mul));
  EXPECT_EQ(signature(one.graph, one.node, 3), signature(graph, mul, 3));
  EXPECT_EQ(one.graph.node(one.node).lowering, graph.node(mul).lowering);
  const Plan plan = plan_of_parts(one, {.name = "cpu", .streams = 3}, 3);
  ASSERT_THAT(plan.streams, SizeIs(3));
  EXPECT_EQ(plan.streams[2][0].part, 2);
}

TEST(OneNode, ValuesReadTwiceAndAbsentOnesStaySo) {
  const Graph graph = parse("x: f32[4]\ny = Mul(x, x)\nz = Clip(y, -, m: f32[] = {1.0})\n");
  const OneNode mul = one_node(graph, NodeId(0));
  EXPECT_THAT(mul.graph.inputs(), SizeIs(1));
  const OneNode clip = one_node(graph, NodeId(1));
  EXPECT_FALSE(clip.graph.node(clip.node).inputs[1].valid());
}

TEST(PartCounts, AreAllAtFirstAndThenPowersOfTwo) {
  EXPECT_EQ(part_counts(1), (std::vector<int>{}));
  EXPECT_EQ(part_counts(2), (std::vector<int>{2}));
  EXPECT_EQ(part_counts(4), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(part_counts(12), (std::vector<int>{2, 3, 4, 8, 12}));
}

TEST(TouchedBytes, AreConstantsAndTheMostThatLivesAtOnce) {
  const Graph graph = parse(R"(
      x: f32[100]
      a = Relu(x)
      b = Add(a, w: f32[100])
      c = Relu(b))");
  EXPECT_EQ(touched_bytes(graph), 400 + 800);
}

}  // namespace
}  // namespace braid
