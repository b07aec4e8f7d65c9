#include "device/cpu/lanes/lane_pool.h"

#include <bit>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include "base/error.h"
#include "device/cpu/lanes/blocked_signals.h"
#include "device/cpu/lanes/lane_settings.h"

namespace braid::cpu {
namespace {

/// A thread that takes no signals: they are the business of the program that we are part of. A
/// thread begins with the mask of the one that starts it.
template <class Body>
std::thread start_thread(Body body) {
  const BlockedSignals blocked;
  try {
    return std::thread(body);
  } catch (const std::system_error& error) {
    raise(ErrorKind::Device, fmt::format("cannot start a thread ({}): allow the process more, or "
                                         "run with fewer threads",
                                         error.code().message()));
  }
}

/// Best effort: a core may have been taken away since the process was asked which it has.
void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/// Lanes that cannot all run at once must not keep the others from running.
Patience patience_of(int lanes, int available) {
  if (lanes > available) return {.pauses = 0, .yields = 2};
  return {.pauses = 300, .yields = 60};
}

}  // namespace

/// A thread and the jobs that wait for it.
class LanePool::Lane {
 public:
  Lane(int number, std::size_t most_jobs, const Patience& patience, std::optional<int> core)
      : number_(number), patience_(patience), jobs_(std::bit_ceil(most_jobs + 1)), core_(core) {
    thread_ = start_thread([this] { work(); });
  }
  ~Lane() {
    post(nullptr);
    thread_.join();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Hands the thread a job; null ends it. Callers take turns. Gives the number to wait for.
  std::uint32_t post(const LaneJob* job) {
    jobs_[last_posted_ % jobs_.size()] = job;
    posted_.raise_to(++last_posted_);
    return last_posted_;
  }
  void wait_for(std::uint32_t number) { ended_.wait_for(number, patience_); }

 private:
  void work() {
    pthread_setname_np(pthread_self(), fmt::format("braid lane {}", number_).c_str());
    if (core_) pin_to(*core_);
    const LaneSettings settings;
    for (std::uint32_t next = 1;; ++next) {
      posted_.wait_for(next, patience_);
      const LaneJob* job = jobs_[(next - 1) % jobs_.size()];
      if (job == nullptr) return;
      (*job)(number_);
      ended_.raise_to(next);
    }
  }

  const int number_;
  const Patience patience_;
  Counter posted_;
  Counter ended_;
  std::vector<const LaneJob*> jobs_;  // a ring with room for all that can be under way
  std::uint32_t last_posted_ = 0;
  const std::optional<int> core_;
  std::thread thread_;
};

LanePool::LanePool(int lanes, int available, std::vector<int> cores)
    : cores_(std::move(cores)),
      patience_(patience_of(lanes, available)),
      admission_(lanes),
      lanes_(static_cast<std::size_t>(lanes)) {}

LanePool::~LanePool() = default;

std::vector<std::uint32_t> LanePool::post(const LaneJob& job, int lanes) {
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(lanes));
  if (lanes == 1) return numbers;
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (lanes_[i] == nullptr) {
      const auto core = cores_.empty() ? std::nullopt : std::optional(cores_[i % cores_.size()]);
      lanes_[i] = std::make_unique<Lane>(static_cast<int>(i), lanes_.size(), patience_, core);
    }
  for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] = lanes_[i]->post(&job);
  return numbers;
}

void LanePool::run(const LaneJob& job, int lanes) {
  require(lanes >= 1 && lanes <= this->lanes(), "a job runs on lanes that there are");
  const std::vector<std::uint32_t> numbers = post(job, lanes);
  {
    const LaneSettings settings;
    job(0);
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) lanes_[i]->wait_for(numbers[i]);
}

}  // namespace braid::cpu
