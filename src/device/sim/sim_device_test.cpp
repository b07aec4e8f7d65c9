#include "device/sim/sim_device.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace braid::sim {
namespace {

struct Planned {
  std::unique_ptr<Device> device;
  Graph lowered;
  Plan plan;
  std::unique_ptr<Program> program;
};

Planned planned(std::string_view gpu, std::string_view model) {
  Planned result;
  result.device = make_device(gpu);
  const Graph graph = canonicalise(zoo::build(model), {}).graph;
  result.lowered = result.device->lower(graph, result.device->modelled_costs());
  result.plan =
      scheduler_named("sequential")
          .run(result.lowered, result.device->modelled_costs(), result.device->spec(), {});
  verify(result.lowered, result.plan);
  result.program = result.device->compile(result.lowered, result.plan);
  return result;
}

TEST(SimDevice, TellsTimesWithABand) {
  const Planned squeezenet = planned("v100", "squeezenet");
  const auto time = squeezenet.program->simulate();
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(time->draws_us.size(), 16);
  EXPECT_GT(time->nominal_us, 100);
  EXPECT_LT(time->nominal_us, 10'000);
  const Band band = time->band_us();
  EXPECT_LT(band.p10, band.median);
  EXPECT_LT(band.median, band.p90);
}

TEST(SimDevice, SequentialIsTheSumOfItsNodes) {
  const Planned squeezenet = planned("v100", "squeezenet");
  double sum = 0;
  for (NodeId node : squeezenet.lowered.node_ids())
    sum += squeezenet.device->modelled_costs().cost(squeezenet.lowered, node).time_us;
  EXPECT_NEAR(squeezenet.program->simulate()->nominal_us / sum, 1, 0.1);
}

TEST(SimDevice, TheSameProgramTakesTheSameTime) {
  const Planned a = planned("a100", "squeezenet");
  const Planned b = planned("a100", "squeezenet");
  EXPECT_EQ(a.program->simulate()->draws_us, b.program->simulate()->draws_us);
}

TEST(SimDevice, ATraceNamesOperatorsAndEndsWithTheSimulation) {
  const Planned squeezenet = planned("t4", "squeezenet");
  Trace trace;
  const auto time = squeezenet.program->simulate(&trace);
  ASSERT_FALSE(trace.events.empty());
  EXPECT_EQ(trace.events[0].category, "Conv");
  EXPECT_DOUBLE_EQ(trace.events.back().end_us, time->nominal_us);
}

/// The graph as the device runs it.
Graph lowered(const Device& device, Graph model) {
  CanonicaliseOptions options;
  for (const OmittedStep& step : device.omitted_steps()) options.disabled.emplace_back(step.name);
  return device.lower(canonicalise(std::move(model), options).graph, device.modelled_costs());
}

void expect_no_faults(const Device& device, const Graph& graph, const Scheduler& scheduler) {
  SCOPED_TRACE(device.spec().name + " under " + std::string(scheduler.name));
  const Plan plan =
      scheduler.run(graph, device.modelled_costs(), device.spec(), {.search_steps = 20});
  verify(graph, plan);
  Trace trace;
  device.compile(graph, plan)->simulate(&trace);
  EXPECT_THAT(trace_faults(graph, plan, trace), testing::IsEmpty());
}

/// It holds under every scheduler, whatever the kernels of a node are and however long they take.
TEST(SimDevice, NoTraceShowsAReaderBeforeItsWriter) {
  const std::pair<const char*, const char*> runs[] = {{"a100", "squeezenet"},
                                                      {"a100", "googlenet"},
                                                      {"a100+framework", "squeezenet"},
                                                      {"a100+eager", "squeezenet"}};
  for (const auto& [name, model] : runs) {
    SCOPED_TRACE(model);
    const auto device = make_device(name);
    const Graph graph = lowered(*device, zoo::build(model));
    for (const Scheduler& scheduler : schedulers()) expect_no_faults(*device, graph, scheduler);
  }
}

/// A few values of one pixel row each, cut, joined and renamed in any way.
Graph random_views(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  std::vector<std::pair<std::string, int>> values = {{"x", 8}};  // and their channels
  std::string text = "x: f32[1,8,16]\n";
  const auto add = [&](int channels, const std::string& line) {
    values.emplace_back("v" + std::to_string(values.size()), channels);
    text += line;
  };
  while (values.size() < 24) {
    const auto [name, channels] = values[below(values.size())];
    const std::string next = "v" + std::to_string(values.size());
    switch (below(5)) {
      case 0:
      case 1:
        add(channels, next + " = Relu(" + name + ")\n");
        break;
      case 2: {
        const auto& [second, more] = values[below(values.size())];
        const auto& [third, most] = values[below(values.size())];
        if (channels + more + most > 256) break;
        add(channels + more + most,
            next + " = Concat(" + name + ", " + second + ", " + third + ") axis=1\n");
        break;
      }
      case 3: {
        if (channels < 2) break;
        const int first = 1 + static_cast<int>(below(static_cast<std::size_t>(channels) - 1));
        const std::string cut = std::to_string(first) + "," + std::to_string(channels - first);
        const std::string other = "v" + std::to_string(values.size() + 1);
        add(first, next + ", " + other + " = Split(" + name + ", cut" + next + ": i64[2] = {" +
                       cut + "}) axis=1\n");
        add(channels - first, "");
        break;
      }
      default:
        add(channels, next + " = Reshape(" + name + ", to" + next + ": i64[3] = {1," +
                          std::to_string(channels) + ",16})\n");
    }
  }
  for (std::size_t i = 0; i < 3; ++i)
    text += "y" + std::to_string(i) + " = Tanh(" + values[values.size() - 1 - i].first + ")\n";
  return parse(text + "return y0\nreturn y1\nreturn y2");
}

TEST(SimDevice, ViewsNeverMeetWhereTheyShouldNot) {
  const auto device = make_device("t4");
  std::int64_t views = 0;
  std::int64_t copies = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    // Canonicalisation would take away half of what is tried here.
    const Graph graph = device->lower(random_views(seed), device->modelled_costs());
    for (const NodeId id : graph.node_ids()) {
      const Node& node = graph.node(id);
      if (node.op != "Concat" && node.op != "Identity") continue;
      (is_view(node) ? views : copies) += 1;
    }
    for (const char* scheduler : {"sequential", "wavefront", "opara"})
      expect_no_faults(*device, graph, scheduler_named(scheduler));
  }
  EXPECT_GT(views, 50);
  EXPECT_GT(copies, 50);
}

TEST(SimDevice, HasNoNumbers) {
  const Planned squeezenet = planned("h100", "squeezenet");
  try {
    squeezenet.program->run({});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_NE(error.message().find("sim:h100 is simulated"), std::string::npos);
  }
}

TEST(SimDevice, CostsNameTheLaunch) {
  const Planned squeezenet = planned("a100", "squeezenet");
  for (NodeId node : squeezenet.lowered.node_ids()) {
    const Cost cost = squeezenet.device->modelled_costs().cost(squeezenet.lowered, node);
    if (squeezenet.lowered.node(node).op == "Conv") {
      EXPECT_GT(cost.launch.blocks, 0);
      EXPECT_GT(cost.time_us, 1);
      EXPECT_GT(cost.compute_share, 0);
    }
  }
}

TEST(SimDevice, TensorCoresAreFasterWhereThereAreAny) {
  EXPECT_LT(planned("a100+tf32", "googlenet").program->simulate()->nominal_us,
            planned("a100", "googlenet").program->simulate()->nominal_us);
}

TEST(SimDevice, StreamsAndGraphsDiffer) {
  EXPECT_NE(planned("a100+streams", "squeezenet").program->simulate()->nominal_us,
            planned("a100", "squeezenet").program->simulate()->nominal_us);
}

std::string complaint_about(std::string_view what) {
  try {
    make_device(what);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(SimDevice, RefusesWordsThatWouldChangeNothing) {
  EXPECT_EQ(complaint_about("v100+tf32"),
            "'sim:v100+tf32': +tf32 needs TF32 tensor cores (tf32_tflops in its spec), and NVIDIA "
            "V100-SXM2-16GB has none; it takes: +streams, +measured, +eager, +framework");
  EXPECT_EQ(complaint_about("t4+streams+tf32").substr(0, 24), "'sim:t4+streams+tf32': +");
  EXPECT_EQ(complaint_about("a100+tf32+streams+tf32"),
            "'sim:a100+tf32+streams+tf32': +tf32 stands there twice");
  EXPECT_EQ(complaint_about("a100+fp4"),
            "'sim:a100+fp4' has nothing called 'fp4'; it takes: +tf32, +streams, +measured, "
            "+answers, +eager, +framework");
  EXPECT_EQ(complaint_about("a100+tf32+streams"), "");
}

TEST(SimDevice, TakesOneWordAboutKernels) {
  EXPECT_EQ(complaint_about("a100+eager+tf32+framework"),
            "'sim:a100+eager+tf32+framework': +eager and +framework each say how a model becomes "
            "kernels; take one of them");
  EXPECT_EQ(complaint_about("a100+framework+framework"),
            "'sim:a100+framework+framework': +framework stands there twice");
  for (const char* what : {"a100+eager", "t4+framework", "a100+tf32+eager+streams"}) {
    const auto device = make_device(what);
    EXPECT_EQ(device->spec().name, std::string("sim:") + what);
    EXPECT_THAT(device->fingerprint(), testing::StartsWith(std::string("sim:") + what + ", "));
  }
}

TEST(SimDevice, TakesOneWordAboutTheChoiceOfKernels) {
  EXPECT_EQ(
      complaint_about("a100+measured+answers"),
      "'sim:a100+measured+answers': +measured and +answers each say which kernels the library "
      "takes; take one of them");
  EXPECT_EQ(complaint_about("v100+answers"),
            "'sim:v100+answers': +answers needs answers of cuDNN (cudnn in its spec), and NVIDIA "
            "V100-SXM2-16GB has none; it takes: +streams, +measured, +eager, +framework");
  for (const char* what : {"v100+measured", "a100+answers", "a100+answers+eager"})
    EXPECT_EQ(complaint_about(what), "") << what;
}

/// What a library takes because it is the fastest is no slower than what it takes by a rule.
TEST(SimDevice, WhatWasMeasuredIsNeverSlowerAlone) {
  const auto by_rule = make_device("a100");
  const auto measured = make_device("a100+measured");
  const Graph graph = lowered(*by_rule, zoo::build("googlenet"));
  int faster = 0;
  for (NodeId node : graph.node_ids()) {
    const double rule_us = by_rule->modelled_costs().cost(graph, node).time_us;
    const double measured_us = measured->modelled_costs().cost(graph, node).time_us;
    EXPECT_LE(measured_us, rule_us) << describe(graph, node);
    if (measured_us < rule_us) ++faster;
  }
  EXPECT_GT(faster, 0);
}

/// Explanations ask for the kernels of a device by its name.
TEST(SimDevice, ANameTellsWhichKernelsItsDeviceTakes) {
  EXPECT_TRUE(kernel_options_of("a100").pointwise_products);
  EXPECT_FALSE(kernel_options_of("a100+framework").pointwise_products);
  EXPECT_FALSE(kernel_options_of("a100+eager").pointwise_products);
  EXPECT_EQ(kernel_options_of("a100+tf32").precision, Precision::Tf32);
  EXPECT_TRUE(kernel_options_of("a100+measured").measured);
  EXPECT_TRUE(kernel_options_of("a100+answers").answers);
}

/// A name that is misspelt would leave the step in.
TEST(SimDevice, EagerDoesWithoutStepsThatThereAre) {
  std::vector<std::string> names;
  for (const OmittedStep& step : make_device("a100+eager")->omitted_steps()) {
    names.emplace_back(step.name);
    EXPECT_FALSE(step.reason.empty()) << step.name;
  }
  EXPECT_FALSE(names.empty());
  EXPECT_NO_THROW(canonicalise(zoo::build("squeezenet"), {.disabled = names}));
  EXPECT_TRUE(make_device("a100")->omitted_steps().empty());
  EXPECT_TRUE(make_device("a100+framework")->omitted_steps().empty());
}

TEST(SimDevice, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make_device("k80"), Error);
  EXPECT_THROW(make_device("a100+fp4"), Error);
  EXPECT_THROW(make_device("./missing.json"), Error);
}

}  // namespace
}  // namespace braid::sim
