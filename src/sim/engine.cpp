#include "sim/engine.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "base/checked.h"
#include "base/error.h"
#include "sim/residency.h"
#include "sim/sharing.h"

namespace braid::sim {
namespace {

/// Kernels of more waves than this are simulated in fewer, thicker blocks.
constexpr std::int64_t kMostWaves = 64;
constexpr double kTiny = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

Kernel thickened(const GpuSpec& gpu, Kernel kernel) {
  const std::int64_t wave = std::int64_t{gpu.sms} * occupancy(gpu, kernel);
  const std::int64_t thickness = ceil_div(kernel.blocks, wave * kMostWaves);
  if (thickness == 1) return kernel;
  const std::int64_t blocks = ceil_div(kernel.blocks, thickness);
  const double scale = static_cast<double>(kernel.blocks) / static_cast<double>(blocks);
  kernel.blocks = blocks;
  kernel.flops *= scale;
  kernel.dram_bytes *= scale;
  kernel.l2_bytes *= scale;
  kernel.refill_us *= scale;
  return kernel;
}

class Engine {
 public:
  Engine(const GpuSpec& gpu, std::span<const Launch> launches, const EngineOptions& options);
  Simulation run();

 private:
  struct State {
    BlockNeeds needs;
    double fill_us = 0;
    double refill_us = 0;
    double dram_bytes = 0;  // of a block
    std::int64_t unplaced = 0;
    std::int64_t unfinished = 0;
    std::int32_t pending = 1;  // predecessors that have not ended, and the host's launch
    double ready_us = 0;
    bool placed_some = false;
    std::vector<std::int32_t> followers;
    std::int32_t next_in_queue = -1;  // held back by this one until its blocks are placed
    bool held_back = false;
    bool waiting = false;  // ready, but held back
  };
  using Moment = std::pair<double, std::int32_t>;  // when, launch

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
  std::size_t at(std::int32_t launch) const { return static_cast<std::size_t>(launch); }

  const GpuSpec& gpu_;
  std::span<const Launch> launches_;
  EngineOptions options_;
  std::vector<State> states_;
  Residency residency_;
  std::optional<Sharing> sharing_;
  Simulation result_;
  double now_us_ = 0;
  double host_us_ = 0;
  std::size_t host_next_ = 0;
  std::size_t ended_ = 0;
  double front_end_free_us_ = 0;
  double busy_sm_us_ = 0;
  bool changed_ = false;  // who is where, or who is running
  bool retired_ = false;
  std::priority_queue<Moment, std::vector<Moment>, std::greater<>> ready_;
  std::set<std::tuple<int, std::int64_t, std::int32_t>> queue_;  // -priority, arrival, launch
  std::int64_t arrivals_ = 0;
};

Engine::Engine(const GpuSpec& gpu, std::span<const Launch> launches, const EngineOptions& options)
    : gpu_(gpu),
      launches_(launches),
      options_(options),
      states_(launches.size()),
      residency_(gpu, options.placement_seed) {
  result_.launches.resize(launches.size());
  std::vector<Kernel> kernels;
  kernels.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Kernel& kernel = kernels.emplace_back(thickened(gpu, launches[i].kernel));
    State& state = states_[i];
    state.needs = block_needs(gpu, kernel);
    state.fill_us = kernel.fill_us;
    state.refill_us = kernel.refill_us;
    state.dram_bytes = kernel.dram_bytes;
    state.unplaced = state.unfinished = kernel.blocks;
  }
  sharing_.emplace(gpu, kernels);
  connect();
  connect_queues();
}

void Engine::connect() {
  std::vector<std::int32_t> last;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Launch& launch = launches_[i];
    const auto index = static_cast<std::int32_t>(i);
    require(launch.stream >= 0, "a launch has a stream");
    const auto stream = static_cast<std::size_t>(launch.stream);
    if (stream >= last.size()) last.resize(stream + 1, -1);
    const auto follow = [&](std::int32_t before) {
      states_[at(before)].followers.push_back(index);
      ++states_[i].pending;
    };
    if (last[stream] >= 0) follow(last[stream]);
    for (std::int32_t before : launch.after) {
      require(before >= 0 && before < index, "a launch waits for earlier ones");
      follow(before);
    }
    last[stream] = index;
  }
}

void Engine::connect_queues() {
  std::vector<std::int32_t> last(static_cast<std::size_t>(gpu_.costs.hardware_queues), -1);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    auto& before = last[static_cast<std::size_t>(launches_[i].stream) % last.size()];
    if (before >= 0 && launches_[at(before)].stream != launches_[i].stream) {
      states_[at(before)].next_in_queue = static_cast<std::int32_t>(i);
      states_[i].held_back = true;
    }
    before = static_cast<std::int32_t>(i);
  }
}

/// The host goes on until it must wait for the device.
void Engine::advance_host() {
  const bool graph = options_.mode == LaunchMode::Graph;
  for (; host_next_ < launches_.size(); ++host_next_) {
    const Launch& launch = launches_[host_next_];
    if (graph) {
      host_us_ = gpu_.costs.graph_us;
    } else {
      if (launch.device_sync) {
        if (ended_ < host_next_) return;
        host_us_ = std::max(host_us_, now_us_) + gpu_.costs.device_sync_us;
      }
      host_us_ += gpu_.costs.launch_us + launch.events * gpu_.costs.event_us;
    }
    settle(static_cast<std::int32_t>(host_next_), host_us_);
  }
}

/// One of the things that a launch waits for is done, for it at `at_us`.
void Engine::settle(std::int32_t launch, double at_us) {
  State& state = states_[at(launch)];
  state.ready_us = std::max(state.ready_us, at_us);
  if (--state.pending == 0) ready_.emplace(state.ready_us, launch);
}

void Engine::enter(std::int32_t launch) {
  queue_.emplace(-launches_[at(launch)].priority, arrivals_++, launch);
}

void Engine::enter_due() {
  while (!ready_.empty() && ready_.top().first <= now_us_ + kTiny) {
    const std::int32_t launch = ready_.top().second;
    ready_.pop();
    if (options_.mode == LaunchMode::Graph) {
      if (front_end_free_us_ > now_us_ + kTiny) {
        ready_.emplace(front_end_free_us_, launch);
        continue;
      }
      front_end_free_us_ = now_us_ + gpu_.costs.graph_node_us;
    }
    State& state = states_[at(launch)];
    state.waiting = state.held_back;
    if (!state.waiting) enter(launch);
  }
}

void Engine::dispatch() {
  while (!queue_.empty()) {
    const std::int32_t launch = std::get<2>(*queue_.begin());
    State& state = states_[at(launch)];
    const double fill_us = state.placed_some ? state.refill_us : state.fill_us;
    const std::int64_t placed = residency_.place(launch, state.needs, state.unplaced, fill_us);
    if (placed > 0) {
      if (!state.placed_some) result_.launches[at(launch)].begin_us = now_us_;
      state.placed_some = true;
      state.unplaced -= placed;
      changed_ = true;
    }
    if (state.unplaced > 0) return;  // those behind it must wait
    queue_.erase(queue_.begin());
    if (state.next_in_queue < 0) continue;
    State& next = states_[at(state.next_in_queue)];
    next.held_back = false;
    if (std::exchange(next.waiting, false)) enter(state.next_in_queue);
  }
}

void Engine::log_usage() {
  Usage usage{.at_us = now_us_};
  for (const SmGroup& group : residency_.groups()) {
    if (group.residents.empty()) continue;
    usage.sms += group.sms;
    usage.threads += static_cast<double>(group.sms) * (gpu_.sm.threads - group.free_threads);
    for (const Resident& resident : group.residents)
      usage.dram += static_cast<double>(group.sms) * resident.count * resident.rate *
                    states_[at(resident.launch)].dram_bytes;
  }
  usage.sms /= gpu_.sms;
  usage.threads /= static_cast<double>(gpu_.sms) * gpu_.sm.threads;
  usage.dram /= gpu_.dram_bytes_per_us;
  std::vector<Usage>& all = result_.usage;
  if (!all.empty() && all.back().at_us == now_us_) all.pop_back();
  all.push_back(usage);
}

double Engine::step_us() const {
  double step = ready_.empty() ? kNever : std::max(0.0, ready_.top().first - now_us_);
  for (const SmGroup& group : residency_.groups())
    for (const Resident& resident : group.residents)
      step = std::min(
          step, resident.running() ? resident.work_left / resident.rate : resident.fill_left_us);
  return step;
}

void Engine::advance(double us) {
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

void Engine::retire() {
  std::vector<std::int32_t> done;
  for (SmGroup& group : residency_.groups()) {
    std::erase_if(group.residents, [&](const Resident& resident) {
      if (resident.work_left > 0 || !resident.running()) return false;
      State& state = states_[at(resident.launch)];
      Residency::release(group, state.needs, resident.count);
      state.unfinished -= std::int64_t{resident.count} * group.sms;
      if (state.unfinished == 0) done.push_back(resident.launch);
      retired_ = true;
      return true;
    });
  }
  std::sort(done.begin(), done.end());
  for (std::int32_t launch : done) finish(launch);
}

void Engine::finish(std::int32_t launch) {
  result_.launches[at(launch)].end_us = now_us_;
  ++ended_;
  for (std::int32_t follower : states_[at(launch)].followers) {
    const bool same = launches_[at(follower)].stream == launches_[at(launch)].stream;
    settle(follower, now_us_ + (same ? gpu_.costs.edge_us : gpu_.costs.cross_edge_us));
  }
}

Simulation Engine::run() {
  advance_host();
  while (ended_ < launches_.size()) {
    enter_due();
    dispatch();
    if (retired_ || changed_) {
      sharing_->share_out(residency_);
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
  if (now_us_ > 0) result_.busy_share = busy_sm_us_ / (now_us_ * gpu_.sms);
  return std::move(result_);
}

}  // namespace

Simulation simulate(const GpuSpec& gpu, std::span<const Launch> launches,
                    const EngineOptions& options) {
  return Engine(gpu, launches, options).run();
}

}  // namespace braid::sim
