// Convolutions and matrix products of the zoo on two cores: our two parts against oneDNN's own two
// threads, in blocks that alternate. Prints JSON; a ratio above 1 means that our parts are faster.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/samples.h"
#include "cost/signature.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lanes/lane_settings.h"
#include "device/one_node.h"
#include "rewrite/canonicalise.h"
#include "zoo/zoo.h"

// Clang has no omp.h without its own OpenMP library.
extern "C" void omp_set_num_threads(int count);

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kBlocks = 4;
constexpr int kRuns = 10;
constexpr int kWarmUp = 2;
/// OpenMP's threads spin for a while after their last work.
constexpr auto kUntilIdle = std::chrono::milliseconds(20);

/// The node's kernel on as many of oneDNN's threads as are set when it is made.
class Library {
 public:
  Library(const OneNode& one, int threads) : threads_(threads) {
    omp_set_num_threads(threads_);
    const cpu::Way way = *cpu::prepare_as(cpu::kernel_call_of(one.graph, one.graph.node(one.node)),
                                          one.graph.node(one.node).lowering.implementation);
    kernel_ = way.make({});
    scratch_.resize(static_cast<std::size_t>(way.scratch_bytes) + kAlignment);
    values_ = random_inputs(one.graph);
    std::size_t next = 0;
    for (const ValueId id : one.graph.node(one.node).inputs)
      if (!id.valid())
        inputs_.push_back(nullptr);
      else if (one.graph.is_constant(id))
        inputs_.push_back(one.graph.value(id).constant.bytes().data());
      else
        inputs_.push_back(values_[next++].bytes().data());
    output_ = Tensor::uninitialised(one.graph.value(one.graph.node(one.node).outputs[0]).type);
  }

  double run_us() {
    omp_set_num_threads(threads_);
    std::byte* outputs[] = {output_.mutable_bytes().data()};
    auto* scratch = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(scratch_.data()) + kAlignment - 1) / kAlignment *
        kAlignment);
    const Clock::time_point start = Clock::now();
    kernel_({inputs_, outputs, scratch});
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  const Tensor& output() const { return output_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  int threads_;
  cpu::Kernel kernel_;
  std::vector<std::byte> scratch_;
  std::vector<Tensor> values_;
  std::vector<const std::byte*> inputs_;
  Tensor output_;
};

/// The longer part: in a run both lanes are awake when their parts begin.
double parts_us(Program& program, const std::vector<Tensor>& inputs) {
  Trace trace;
  program.run(inputs, {.trace = &trace});
  double longest = 0;
  for (const TraceEvent& event : trace.events)
    longest = std::max(longest, event.end_us - event.begin_us);
  return longest;
}

nlohmann::json compare(const Graph& lowered, NodeId id, const Device& device) {
  const OneNode one = one_node(lowered, id);
  const auto program = device.compile(one.graph, plan_of_parts(one, device.spec(), 2));
  const std::vector<Tensor> inputs = random_inputs(one.graph);
  Library alone(one, 1);
  Library pair(one, 2);
  std::vector<double> parts;
  std::vector<double> threads;
  for (int block = 0; block < kBlocks; ++block) {
    for (int run = -kWarmUp; run < kRuns; ++run)
      if (const double us = parts_us(*program, inputs); run >= 0) parts.push_back(us);
    for (int run = -kWarmUp; run < kRuns; ++run)
      if (const double us = pair.run_us(); run >= 0) threads.push_back(us);
    std::this_thread::sleep_for(kUntilIdle);
  }
  alone.run_us();
  const double ours = percentile(parts, kContestPercentile);
  const double theirs = percentile(threads, kContestPercentile);
  return {{"signature", signature(lowered, id, 2)},
          {"parts_us", ours},
          {"library_threads_us", theirs},
          {"library_div_parts", theirs / ours},
          {"bit_equal", identical(alone.output(), pair.output())}};
}

bool is_library_product(const Node& node) {
  return (node.op == "Conv" || node.op == "MatMul" || node.op == "Gemm") &&
         node.lowering.implementation.starts_with("onednn");
}

nlohmann::json results_of(const std::string& model, const Device& device) {
  nlohmann::json results = nlohmann::json::array();
  const Graph lowered =
      device.lower(canonicalise(zoo::build(model), {}).graph, device.modelled_costs());
  std::set<std::string> seen;
  for (const NodeId id : lowered.nodes_in_order()) {
    if (!is_library_product(lowered.node(id)) || !cut_into(lowered, id, 2)) continue;
    if (!seen.insert(signature(lowered, id, 2)).second) continue;
    nlohmann::json row = compare(lowered, id, device);
    row["model"] = model;
    results.push_back(std::move(row));
  }
  return results;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  std::vector<std::string> models(argv + 1, argv + argc);
  if (models.empty()) models = {"squeezenet-1.1", "googlenet", "resnet-50", "bert-base"};
  const auto device = braid::cpu::make_device({.threads = 2});
  nlohmann::json results = nlohmann::json::array();
  for (const std::string& model : models)
    for (nlohmann::json& row : braid::results_of(model, *device)) results.push_back(std::move(row));
  std::puts(nlohmann::json({{"fingerprint", device->fingerprint()}, {"results", results}})
                .dump(1)
                .c_str());
}
