#include "pipeline/measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "pipeline/memory_traffic.h"
#include "pipeline/one_node.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTurnStep = 7;
constexpr std::int64_t kNeighbourBytes = std::int64_t{64} << 20;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The longest event of the node itself; the parts of a node run at the same time.
double longest_us(const Trace& trace, const std::string& op) {
  double longest = 0;
  for (const TraceEvent& event : trace.events)
    if (event.name == kOneNodeName && event.category == op)
      longest = std::max(longest, event.end_us - event.begin_us);
  return longest;
}

/// A probe made runnable.
class Runner {
 public:
  Runner(const Graph& lowered, const Device& device, Probe& probe) : probe_(probe) {
    attempt([&] {
      const OneNode one = one_node(lowered, probe.node);
      op_ = one.graph.node(one.node).op;
      program_ = device.compile(one.graph, plan_of_parts(one, device.spec(), probe.parts));
      originals_ = random_inputs(one.graph);
      for (const Tensor& original : originals_)
        inputs_.push_back(Tensor::copy_of(original.type(), original.bytes()));
    });
  }

  bool usable() const { return probe_.failure.empty(); }
  double spent_us() const { return spent_us_; }
  Probe& probe() { return probe_; }

  /// One run; nothing if it failed.
  std::optional<double> run() {
    double time_us = 0;
    const Clock::time_point start = Clock::now();
    attempt([&] {
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        std::ranges::copy(originals_[i].bytes(), inputs_[i].mutable_bytes().begin());
      Trace trace;
      program_->run(inputs_, {.trace = &trace});
      time_us = longest_us(trace, op_);
    });
    spent_us_ += microseconds_since(start);
    if (!usable() || !(time_us > 0)) return std::nullopt;
    return time_us;
  }

 private:
  template <class Body>
  void attempt(Body body) {
    try {
      body();
    } catch (const Error& error) {
      probe_.failure = error.message();
    }
  }

  Probe& probe_;
  std::string op_;
  std::unique_ptr<Program> program_;
  std::vector<Tensor> originals_;
  std::vector<Tensor> inputs_;
  double spent_us_ = 0;
};

class Measuring {
 public:
  Measuring(const Graph& lowered, const Device& device, std::span<Probe> probes,
            const MeasureOptions& options, const Watch& watch)
      : options_(options), streams_(device.spec().streams), watch_(watch) {
    for (Probe& probe : probes) {
      tell(0);
      Runner runner(lowered, device, probe);
      // Pages are touched and code is warmed up by a run that does not count.
      if (runner.usable()) runner.run();
      if (runner.usable()) runners_.push_back(std::move(runner));
    }
  }

  void run() {
    const int rounds = options_.rounds + options_.rounds_beside;
    int beside = 0;
    for (int round = 0; round < rounds; ++round) {
      // The rounds beside a neighbour are spread among the others.
      const bool is_beside = (round + 1) * options_.rounds_beside / rounds > beside;
      beside += is_beside ? 1 : 0;
      const int before = is_beside ? beside - 1 : round - beside;
      if (is_beside)
        take_turns_beside(before);
      else
        take_turns(before);
      share_ = static_cast<double>(round + 1) / rounds;
      first_ += kTurnStep;
    }
  }

 private:
  void tell(double share) const {
    if (watch_) watch_(share);
  }

  bool is_due(const Runner& runner, int turns) const {
    return runner.usable() &&
           (turns < options_.rounds_at_least || runner.spent_us() < options_.budget_us);
  }

  /// Whoever comes first after other memory was read may be at a disadvantage, so each round
  /// begins with another one.
  Runner& in_turn(std::size_t i) { return runners_[(i + first_) % runners_.size()]; }

  void take_turns(int turns) {
    traffic_.sweep(options_.between_bytes, streams_);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      tell(share_);
      Runner& runner = in_turn(i);
      if (!is_due(runner, turns)) continue;
      if (const auto time_us = runner.run()) runner.probe().alone_us.push_back(*time_us);
    }
  }

  /// Parts that take all streams have no neighbour but themselves.
  void take_turns_beside(int turns) {
    if (streams_ < 2 || std::thread::hardware_concurrency() < 2) return;
    traffic_.sweep(options_.between_bytes, streams_);
    const StreamingNeighbour neighbour(traffic_);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      tell(share_);
      Runner& runner = in_turn(i);
      if (runner.probe().parts >= streams_ || !is_due(runner, turns)) continue;
      if (const auto time_us = runner.run()) runner.probe().beside_us.push_back(*time_us);
    }
  }

  const MeasureOptions& options_;
  int streams_;
  const Watch& watch_;
  double share_ = 0;
  std::size_t first_ = 0;
  MemoryTraffic traffic_{std::max(options_.between_bytes, kNeighbourBytes)};
  std::vector<Runner> runners_;
};

}  // namespace

double typical_us(std::vector<double> samples_us) {
  require(!samples_us.empty(), "there is no sample");
  const std::size_t rank = samples_us.size() / 5;
  std::ranges::nth_element(samples_us, samples_us.begin() + static_cast<std::ptrdiff_t>(rank));
  return samples_us[rank];
}

void measure(const Graph& lowered, const Device& device, std::span<Probe> probes,
             const MeasureOptions& options, const Watch& watch) {
  Measuring(lowered, device, probes, options, watch).run();
}

}  // namespace braid
