#include "device/cpu/measuring/measure_nodes.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <sys/resource.h>

#include "base/error.h"
#include "base/samples.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/measuring/memory_traffic.h"
#include "device/one_node.h"

namespace braid::cpu {
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

/// How often the system took the core from the calling thread, or from any thread of the process,
/// for another.
long times_interrupted(bool any_thread) {
  rusage usage = {};
  ::getrusage(any_thread ? RUSAGE_SELF : RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Microseconds for which the calling thread has had a core.
double processor_time_us() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Times of a probe. On a busy machine those are left out during which it was interrupted, if the
/// others are enough.
class Times {
 public:
  explicit Times(std::vector<double>& result) : result_(&result) {}

  void add(double time_us, bool was_interrupted, int enough) {
    (was_interrupted ? interrupted_ : clean_).push_back(time_us);
    *result_ = clean_;
    if (clean() < enough) result_->insert(result_->end(), interrupted_.begin(), interrupted_.end());
  }
  int clean() const { return static_cast<int>(clean_.size()); }

 private:
  std::vector<double>* result_;
  std::vector<double> clean_;
  std::vector<double> interrupted_;
};

/// A probe made runnable.
class Runner {
 public:
  Runner(const Graph& lowered, const Device& device, Probe& probe)
      : probe_(probe), alone_(probe.alone_us), beside_(probe.beside_us) {
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
  const Probe& probe() const { return probe_; }
  Times& alone() { return alone_; }
  Times& beside() { return beside_; }

  /// One run that does not count.
  void warm_up() { run(nullptr, 0); }

  /// One run whose time goes to `times`, if it did not fail.
  void run(Times* times, int enough) {
    double time_us = 0;
    // The lanes of parts are other threads; a single lane is this one.
    const bool any_thread = probe_.parts > 1;
    bool was_interrupted = false;
    const Clock::time_point start = Clock::now();
    attempt([&] {
      write_inputs();
      Trace trace;
      const long before = times_interrupted(any_thread);
      const double processor_before_us = processor_time_us();
      program_->run(inputs_, {.trace = &trace, .touch_arena = true});
      const double processor_us = processor_time_us() - processor_before_us;
      was_interrupted = times_interrupted(any_thread) != before;
      time_us = longest_us(trace, op_);
      // What other processes took meanwhile is not the node's; what is left is a little too much.
      if (was_interrupted && !any_thread) time_us = std::min(time_us, processor_us);
    });
    spent_us_ += microseconds_since(start);
    if (usable() && time_us > 0 && times != nullptr) times->add(time_us, was_interrupted, enough);
  }

 private:
  /// Writes the inputs as their producers would have done: each core writes a part of every input,
  /// if the node is cut.
  void write_inputs() {
    std::vector<std::span<std::byte>> targets;
    for (Tensor& input : inputs_) targets.push_back(input.mutable_bytes());
    const auto parts = static_cast<std::size_t>(probe_.parts);
    const auto write = [&](std::size_t part) {
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::size_t begin = targets[i].size() * part / parts;
        const std::size_t end = targets[i].size() * (part + 1) / parts;
        std::ranges::copy(originals_[i].bytes().subspan(begin, end - begin),
                          targets[i].subspan(begin).begin());
      }
    };
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back(write, part);
    write(0);
  }

  template <class Body>
  void attempt(Body body) {
    try {
      body();
    } catch (const Error& error) {
      probe_.failure = error.message();
    }
  }

  Probe& probe_;
  Times alone_;
  Times beside_;
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
      if (runner.usable()) runner.warm_up();
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

  /// Interrupted runs take time of their own; they get some more to make up for it.
  bool is_due(const Runner& runner, const Times& times, int turns) const {
    constexpr double patience = 5;
    if (!runner.usable()) return false;
    return turns < options_.rounds_at_least || runner.spent_us() < options_.budget_us ||
           (times.clean() < options_.rounds_at_least &&
            runner.spent_us() < patience * options_.budget_us);
  }

  /// The first one after other memory was read may be at a disadvantage, so each round begins with
  /// another.
  Runner& in_turn(std::size_t i) { return runners_[(i + first_) % runners_.size()]; }

  void take_turns(int turns) {
    traffic_.sweep(options_.between_bytes, streams_);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      tell(share_);
      Runner& runner = in_turn(i);
      if (is_due(runner, runner.alone(), turns))
        runner.run(&runner.alone(), options_.rounds_at_least);
    }
  }

  /// Parts that take all streams have no neighbour but themselves.
  void take_turns_beside(int turns) {
    if (streams_ < 2 || machine().cores < 2) return;
    traffic_.sweep(options_.between_bytes, streams_);
    const StreamingNeighbour neighbour(traffic_);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      tell(share_);
      Runner& runner = in_turn(i);
      if (runner.probe().parts < streams_ && is_due(runner, runner.beside(), turns))
        runner.run(&runner.beside(), options_.rounds_at_least);
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

void measure_nodes(const Device& device, const Graph& lowered, std::span<Probe> probes,
                   const MeasureOptions& options, const Watch& watch) {
  Measuring(lowered, device, probes, options, watch).run();
}

}  // namespace braid::cpu
