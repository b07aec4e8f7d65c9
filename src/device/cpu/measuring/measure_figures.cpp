#include "device/cpu/measuring/measure_figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/samples.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/measuring/memory_traffic.h"
#include "device/one_node.h"
#include "graph/hash.h"
#include "ops/builder.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace braid::cpu {
namespace {

/// What is read is this many times the last-level cache, but no more than a limit, nor than a part
/// of the memory that is free; and at least enough for a figure.
constexpr std::int64_t kTimesCache = 3;
constexpr std::int64_t kMostReadBytes = std::int64_t{1} << 30;
constexpr std::int64_t kLeastReadBytes = std::int64_t{64} << 20;
constexpr std::int64_t kShareOfFree = 4;
constexpr double kMiB = 1 << 20;
constexpr double kMatrix = 256;
constexpr int kRowSteps = 64;
constexpr int kReadRounds = 2;
constexpr int kRounds = 30;

// What is measured, as the cache calls it.
constexpr const char* kReadOne = "calibration: a MiB beyond the caches read by one stream";
constexpr const char* kReadAll = "calibration: a MiB beyond the caches read by every stream";
constexpr const char* kProduct = "calibration: product of matrices 256 x 256";
constexpr const char* kStep = "calibration: 64 steps on one stream";
constexpr const char* kWait = "calibration: 64 steps that take turns on two streams";

double least(const std::vector<double>& samples) {
  return *std::min_element(samples.begin(), samples.end());
}

std::int64_t read_bytes() {
  const std::int64_t wanted = kTimesCache * machine().last_level_bytes;
  const std::int64_t most = std::min(kMostReadBytes, free_memory_bytes() / kShareOfFree);
  return std::max(kLeastReadBytes, std::min(wanted, most));
}

/// The median time of each round.
std::vector<double> read_times(const MemoryTraffic& traffic, int threads) {
  std::vector<double> times_us;
  for (int i = 0; i < kReadRounds; ++i)
    times_us.push_back(percentile(traffic.read_times_us(threads), 50));
  return times_us;
}

/// The time of each run, from the beginning of the first event to the end of the last.
std::vector<double> run_times(Program& program, const std::vector<Tensor>& inputs) {
  std::vector<double> times_us;
  for (int i = 0; i < kRounds + 1; ++i) {
    Trace trace;
    program.run(inputs, {.trace = &trace});
    if (i == 0 || trace.events.empty()) continue;  // the first one only warms up
    const auto begin = std::ranges::min(trace.events, {}, &TraceEvent::begin_us).begin_us;
    times_us.push_back(std::ranges::max(trace.events, {}, &TraceEvent::end_us).end_us - begin);
  }
  return times_us;
}

/// Times of a graph's nodes one after another, in turn on each of `streams` streams.
std::vector<double> row_times(const Device& device, const Graph& graph, int streams) {
  const Graph lowered = device.lower(graph, device.modelled_costs());
  Plan plan;
  plan.graph = hash(lowered, HashWeights::TypesOnly);
  plan.device = device.spec().name;
  plan.scheduler = "in turn";
  plan.streams.resize(static_cast<std::size_t>(streams));
  std::size_t at = 0;
  std::optional<StepRef> last;
  for (const NodeId node : lowered.nodes_in_order()) {
    std::vector<Step>& stream = plan.streams[at];
    Step step;
    step.node = node;
    if (last && streams > 1) step.waits = {*last};
    last =
        StepRef{StreamId(static_cast<std::int64_t>(at)), static_cast<std::int32_t>(stream.size())};
    stream.push_back(std::move(step));
    at = (at + 1) % plan.streams.size();
  }
  place(lowered, plan);
  verify(lowered, plan);
  return run_times(*device.compile(lowered, plan), random_inputs(lowered));
}

Graph product() { return parse("x: f32[256,256]\ny = MatMul(x, w: f32[256,256])\n"); }

/// A row of an operator that no lowering fuses with its like.
Graph row_of_steps() {
  std::string text = "v0: f32[16]\n";
  for (int i = 0; i < kRowSteps; ++i) text += fmt::format("v{} = Softmax(v{})\n", i + 1, i);
  return parse(text);
}

}  // namespace

std::vector<std::string> figures() { return {kReadOne, kReadAll, kProduct, kStep, kWait}; }

SamplesBySignature measure_figures(const Device& device, const Progress& progress) {
  SamplesBySignature samples;
  int done = 0;
  const auto next = [&](const char* name, std::vector<double> times_us) {
    samples[name].alone_us = std::move(times_us);
    report(progress, "calibrating", ++done, 5);
  };
  const int streams = device.spec().streams;
  {
    const MemoryTraffic traffic(read_bytes());
    next(kReadOne, read_times(traffic, 1));
    next(kReadAll, read_times(traffic, streams));
  }
  next(kProduct, row_times(device, product(), 1));
  next(kStep, row_times(device, row_of_steps(), 1));
  next(kWait, row_times(device, row_of_steps(), std::min(streams, 2)));
  return samples;
}

DeviceSpec with_figures(DeviceSpec spec, const SamplesBySignature& samples) {
  const auto time_us = [&](const char* name) { return least(samples.at(name).alone_us); };
  spec.flops_per_us = 2 * kMatrix * kMatrix * kMatrix / time_us(kProduct);
  spec.bytes_per_us_stream = kMiB / time_us(kReadOne);
  spec.bytes_per_us = std::max(spec.bytes_per_us_stream, spec.streams * kMiB / time_us(kReadAll));
  spec.launch_us = time_us(kStep) / kRowSteps;
  if (spec.streams > 1) spec.wait_us = std::max(0.0, time_us(kWait) / kRowSteps - spec.launch_us);
  return spec;
}

}  // namespace braid::cpu
