#include "sim/engine.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "sim/residency.h"
#include "sim/sharing.h"

namespace braid::sim {
namespace {

constexpr double kTiny = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

/// The life of a launch, by the functions that take it on:
///
///     advance_host()   the host has launched it         finish()   a predecessor has ended
///             └──────────────────┬──────────────────────────┘
///     settle()         nothing is missing any more: it is ready, at a moment that lies ahead
///     enter_due()      that moment has come; in a CUDA Graph the front end starts one at a time
///     enter()          it joins the queue, unless another stream's launch holds it back
///     dispatch()       the first of the queue places its blocks where there is room
///     advance()        blocks fill, then run at the rates that Sharing gives them
///     retire()         its blocks end
///     finish()         the last one has: its followers settle
///
/// Time goes from event to event: step_us() is the time until the next block is filled or ends, or
/// until the next launch is due.
class Simulator::Engine {
 public:
  Engine(Machine machine, const EngineOptions& options);
  const Simulation& run(const Slots& slots);

 private:
  struct State {
    std::int64_t unplaced = 0;
    std::int64_t unfinished = 0;
    std::int32_t pending = 1;  // predecessors that have not ended, and the host's launch
    std::int32_t first_follower = 0;
    double ready_us = 0;
    std::int32_t next_in_queue = -1;  // held back by this one until its blocks are placed
    bool placed_some = false;
    bool held_back = false;
    bool waiting = false;  // ready, but held back
  };
  using Moment = std::pair<double, std::int32_t>;  // when, launch
  using Queued =
      std::tuple<std::int32_t, std::int64_t, std::int32_t>;  // priority, -arrival, launch

  void begin(const Slots& slots);
  template <class Visit>
  void each_edge(const Visit& visit);
  void connect();
  void connect_queues();
  void advance_host();
  void settle(std::int32_t launch, double at_us);
  void enter(std::int32_t launch);
  void enter_due();
  void dispatch();
  void log_usage();
  double step_us() const;
  void advance(double us);
  void retire();
  void finish(std::int32_t launch);
  static std::size_t at(std::int32_t launch) { return static_cast<std::size_t>(launch); }
  const Slot& slot(std::int32_t launch) const { return slots_->slots[at(launch)]; }
  const MachineKernel& kernel(std::int32_t launch) const {
    return machine_.kernel(slot(launch).kernel);
  }
  std::size_t size() const { return states_.size(); }

  Machine machine_;
  const GpuSpec& gpu_ = machine_.gpu();
  EngineOptions options_;
  Residency residency_;
  Sharing sharing_;
  const Slots* slots_ = nullptr;
  std::vector<State> states_;
  std::vector<std::int32_t> followers_;
  std::vector<std::int32_t> last_;  // launch of a stream or queue
  std::vector<std::int32_t> done_;
  Simulation result_;
  double now_us_ = 0;
  double host_us_ = 0;
  std::size_t host_next_ = 0;
  std::size_t ended_ = 0;
  double front_end_free_us_ = 0;
  double busy_sm_us_ = 0;
  bool changed_ = false;  // who is where, or who is running
  bool retired_ = false;
  std::vector<Moment> ready_;  // a heap, the earliest first
  std::vector<Queued> queue_;  // ascending: the last is served first
  std::int64_t arrivals_ = 0;
};

Simulator::Engine::Engine(Machine machine, const EngineOptions& options)
    : machine_(std::move(machine)),
      options_(options),
      residency_(machine_.gpu(), options.placement_seed),
      sharing_(machine_) {}

void Simulator::Engine::begin(const Slots& slots) {
  slots_ = &slots;
  result_.launches.assign(slots.slots.size(), {});
  result_.usage.clear();
  residency_.clear();
  ready_.clear();
  queue_.clear();
  now_us_ = host_us_ = front_end_free_us_ = busy_sm_us_ = 0;
  host_next_ = ended_ = 0;
  arrivals_ = 0;
  changed_ = retired_ = false;
  states_.assign(slots.slots.size(), {});
  for (std::size_t i = 0; i < size(); ++i)
    states_[i].unplaced = states_[i].unfinished = kernel(static_cast<std::int32_t>(i)).blocks;
  connect();
  connect_queues();
}

/// Calls visit(before, after) for every pair of launches of which one waits for the other.
template <class Visit>
void Simulator::Engine::each_edge(const Visit& visit) {
  last_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    require(slot(index).stream >= 0, "a launch has a stream");
    const std::size_t stream = at(slot(index).stream);
    if (stream >= last_.size()) last_.resize(stream + 1, -1);
    if (last_[stream] >= 0) visit(last_[stream], index);
    for (std::int32_t before : slots_->waits_of(i)) {
      require(before >= 0 && before < index, "a launch waits for earlier ones");
      visit(before, index);
    }
    last_[stream] = index;
  }
}

void Simulator::Engine::connect() {
  std::int32_t edges = 0;
  each_edge([&](std::int32_t before, std::int32_t after) {
    ++states_[at(before)].first_follower;
    ++states_[at(after)].pending;
    ++edges;
  });
  followers_.resize(at(edges));
  // Counts become ends, and filling backwards makes them beginnings.
  std::int32_t end = 0;
  for (State& state : states_) end = state.first_follower += end;
  each_edge([&](std::int32_t before, std::int32_t after) {
    followers_[at(--states_[at(before)].first_follower)] = after;
  });
}

void Simulator::Engine::connect_queues() {
  const bool graph = options_.mode == LaunchMode::Graph;
  last_.assign(at(graph ? gpu_.costs.graph_queues : gpu_.costs.hardware_queues), -1);
  for (std::size_t i = 0; i < size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    auto& before = last_[at(slot(index).stream) % last_.size()];
    if (before >= 0 && slot(before).stream != slot(index).stream) {
      states_[at(before)].next_in_queue = index;
      states_[i].held_back = true;
    }
    before = index;
  }
}

/// The host goes on until it must wait for the device.
void Simulator::Engine::advance_host() {
  const bool graph = options_.mode == LaunchMode::Graph;
  for (; host_next_ < size(); ++host_next_) {
    const Slot& launch = slots_->slots[host_next_];
    if (graph) {
      host_us_ = gpu_.costs.graph_us;
    } else {
      if (launch.device_sync) {
        if (ended_ < host_next_) return;
        host_us_ = std::max(host_us_, now_us_) + gpu_.costs.device_sync_us;
      }
      host_us_ += gpu_.costs.launch_us + launch.events * gpu_.costs.event_us +
                  launch.library_calls * gpu_.costs.library_call_us;
    }
    settle(static_cast<std::int32_t>(host_next_), host_us_);
  }
}

/// One of the things that a launch waits for is done, for it at `at_us`.
void Simulator::Engine::settle(std::int32_t launch, double at_us) {
  State& state = states_[at(launch)];
  state.ready_us = std::max(state.ready_us, at_us);
  if (--state.pending > 0) return;
  ready_.emplace_back(state.ready_us, launch);
  std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
}

void Simulator::Engine::enter(std::int32_t launch) {
  const Queued queued(slot(launch).priority, -arrivals_++, launch);
  queue_.insert(std::lower_bound(queue_.begin(), queue_.end(), queued), queued);
}

void Simulator::Engine::enter_due() {
  while (!ready_.empty() && ready_.front().first <= now_us_ + kTiny) {
    std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    const std::int32_t launch = ready_.back().second;
    ready_.pop_back();
    if (options_.mode == LaunchMode::Graph) {
      if (front_end_free_us_ > now_us_ + kTiny) {
        ready_.emplace_back(front_end_free_us_, launch);
        std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
        continue;
      }
      front_end_free_us_ = now_us_ + gpu_.costs.graph_node_us;
    }
    State& state = states_[at(launch)];
    state.waiting = state.held_back;
    if (!state.waiting) enter(launch);
  }
}

void Simulator::Engine::dispatch() {
  while (!queue_.empty()) {
    const std::int32_t launch = std::get<2>(queue_.back());
    State& state = states_[at(launch)];
    const MachineKernel& kernel = this->kernel(launch);
    const double fill_us = state.placed_some ? kernel.refill_us : kernel.fill_us;
    const std::int64_t placed =
        residency_.place(launch, slot(launch).kernel, kernel.needs, state.unplaced, fill_us);
    if (placed > 0) {
      if (!state.placed_some) result_.launches[at(launch)].begin_us = now_us_;
      state.placed_some = true;
      state.unplaced -= placed;
      changed_ = true;
    }
    if (state.unplaced > 0) return;  // those behind it must wait
    queue_.pop_back();
    if (state.next_in_queue < 0) continue;
    State& next = states_[at(state.next_in_queue)];
    next.held_back = false;
    if (std::exchange(next.waiting, false)) enter(state.next_in_queue);
  }
}

void Simulator::Engine::log_usage() {
  Usage usage{.at_us = now_us_};
  for (const SmGroup& group : residency_.groups()) {
    if (group.residents.empty()) continue;
    usage.sms += group.sms;
    usage.threads += static_cast<double>(group.sms) * (gpu_.sm.threads - group.free_threads);
    for (const Resident& resident : group.residents)
      usage.dram += static_cast<double>(group.sms) * resident.count * resident.rate *
                    machine_.kernel(resident.kernel).traffic_bytes;
  }
  usage.sms /= gpu_.sms;
  usage.threads /= static_cast<double>(gpu_.sms) * gpu_.sm.threads;
  usage.dram /= gpu_.dram_bytes_per_us;
  std::vector<Usage>& all = result_.usage;
  if (!all.empty() && all.back().at_us == now_us_) all.pop_back();
  all.push_back(usage);
}

double Simulator::Engine::step_us() const {
  double step = ready_.empty() ? kNever : std::max(0.0, ready_.front().first - now_us_);
  for (const SmGroup& group : residency_.groups())
    for (const Resident& resident : group.residents)
      step = std::min(
          step, resident.running() ? resident.work_left / resident.rate : resident.fill_left_us);
  return step;
}

void Simulator::Engine::advance(double us) {
  now_us_ += us;
  for (SmGroup& group : residency_.groups()) {
    if (!group.residents.empty()) busy_sm_us_ += us * group.sms;
    for (Resident& resident : group.residents) {
      if (resident.running()) {
        resident.work_left -= us * resident.rate;
        if (resident.work_left <= kTiny) resident.work_left = 0;
      } else {
        resident.fill_left_us -= us;
        if (resident.fill_left_us <= kTiny) {
          resident.fill_left_us = 0;
          changed_ = true;
        }
      }
    }
  }
}

void Simulator::Engine::retire() {
  done_.clear();
  for (SmGroup& group : residency_.groups()) {
    std::erase_if(group.residents, [&](const Resident& resident) {
      if (resident.work_left > 0 || !resident.running()) return false;
      State& state = states_[at(resident.launch)];
      Residency::release(group, machine_.kernel(resident.kernel).needs, resident.count);
      state.unfinished -= std::int64_t{resident.count} * group.sms;
      if (state.unfinished == 0) done_.push_back(resident.launch);
      retired_ = true;
      return true;
    });
  }
  std::sort(done_.begin(), done_.end());
  for (std::int32_t launch : done_) finish(launch);
}

void Simulator::Engine::finish(std::int32_t launch) {
  result_.launches[at(launch)].end_us = now_us_;
  ++ended_;
  const auto first = at(states_[at(launch)].first_follower);
  const auto end =
      at(launch) + 1 < size() ? at(states_[at(launch) + 1].first_follower) : followers_.size();
  for (std::size_t i = first; i < end; ++i) {
    const bool same = slot(followers_[i]).stream == slot(launch).stream;
    settle(followers_[i], now_us_ + (same ? gpu_.costs.edge_us : gpu_.costs.cross_edge_us));
  }
}

const Simulation& Simulator::Engine::run(const Slots& slots) {
  begin(slots);
  advance_host();
  while (ended_ < size()) {
    enter_due();
    dispatch();
    if (retired_ || changed_) {
      sharing_.share_out(residency_);
      if (options_.log_usage) log_usage();
    }
    retired_ = changed_ = false;
    const double step = step_us();
    require(step < kNever, "every launch becomes ready some time");
    advance(step);
    retire();
    if (retired_) residency_.merge();
    if (ended_ == host_next_) advance_host();
  }
  if (options_.log_usage) log_usage();
  result_.time_us = now_us_ + (options_.final_sync ? gpu_.costs.device_sync_us : 0);
  result_.busy_share = now_us_ > 0 ? busy_sm_us_ / (now_us_ * gpu_.sms) : 0;
  return result_;
}

Simulator::Simulator(Machine machine, const EngineOptions& options)
    : engine_(std::make_unique<Engine>(std::move(machine), options)) {}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

Simulation Simulator::run(const Slots& slots) { return engine_->run(slots); }
double Simulator::time_us(const Slots& slots) { return engine_->run(slots).time_us; }

Packed packed(std::span<const Launch> launches) {
  Packed result;
  auto& [kernels, slots] = result;
  for (const Launch& launch : launches) {
    slots.slots.push_back({.kernel = static_cast<std::int32_t>(kernels.size()),
                           .stream = launch.stream,
                           .priority = launch.priority,
                           .events = launch.events,
                           .library_calls = launch.library_calls,
                           .first_wait = static_cast<std::int32_t>(slots.waits.size()),
                           .device_sync = launch.device_sync});
    slots.waits.insert(slots.waits.end(), launch.after.begin(), launch.after.end());
    kernels.push_back(launch.kernel);
  }
  return result;
}

Simulation simulate(const GpuSpec& gpu, std::span<const Launch> launches,
                    const EngineOptions& options) {
  const Packed all = packed(launches);
  return Simulator(Machine(gpu, all.kernels), options).run(all.slots);
}

}  // namespace braid::sim
