#include "device/cpu/measuring/memory_traffic.h"

#include <algorithm>
#include <chrono>

#include "device/cpu/machine/large_pages.h"

namespace braid::cpu {
namespace {

/// Lines that are read between two looks at the flag.
constexpr std::size_t kStretchLines = std::size_t{1} << 14;

/// Keeps the compiler from leaving out reads whose result is not used.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

}  // namespace

MemoryTraffic::MemoryTraffic(std::int64_t bytes)
    : lines_(std::max<std::size_t>(static_cast<std::size_t>(bytes) / sizeof(Line), 1)),
      memory_(cpu::allocate_for_runs(static_cast<std::int64_t>(lines_ * sizeof(Line)),
                                     "measuring memory")),
      first_(reinterpret_cast<Line*>(memory_.get())) {
  // Untouched pages may all be one page of zeros.
  for (std::size_t i = 0; i < lines_; ++i) first_[i].words[0] = i;
}

void MemoryTraffic::read(std::size_t begin, std::size_t end) const {
  std::uint64_t sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += first_[i].words[0];
  keep(sum);
}

void MemoryTraffic::read_from(std::size_t begin, std::size_t lines) const {
  read(begin, lines);
  read(0, begin);
}

void MemoryTraffic::sweep(std::int64_t bytes, int threads) const {
  const std::size_t lines = std::min(lines_, static_cast<std::size_t>(bytes) / sizeof(Line));
  if (lines == 0) return;
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) {
    const std::size_t begin =
        lines / static_cast<std::size_t>(threads) * static_cast<std::size_t>(i);
    others.emplace_back([this, begin, lines] { read_from(begin, lines); });
  }
  read_from(0, lines);
}

std::vector<double> MemoryTraffic::read_times_us(int threads) const {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(threads));
  const auto body = [&](std::size_t thread) {
    const std::size_t stretches = lines_ / kStretchLines;
    const std::size_t end = stretches * (thread + 1) / times.size();
    for (std::size_t i = stretches * thread / times.size(); i < end; ++i) {
      const std::size_t begin = i * kStretchLines;
      const Clock::time_point start = Clock::now();
      read(begin, begin + kStretchLines);
      times[thread].push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < times.size(); ++i) others.emplace_back(body, i);
    body(0);
  }
  std::vector<double> all;
  for (const std::vector<double>& some : times) all.insert(all.end(), some.begin(), some.end());
  return all;
}

void MemoryTraffic::stream(const std::atomic<bool>& stop,
                           std::atomic<std::int64_t>& stretches) const {
  std::size_t at = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kStretchLines; ++i) {
      sum += first_[at].words[0];
      if (++at == lines_) at = 0;
    }
    keep(sum);
    stretches.fetch_add(1, std::memory_order_release);
    stretches.notify_all();
  }
}

StreamingNeighbour::StreamingNeighbour(const MemoryTraffic& traffic)
    : thread_([this, &traffic] { traffic.stream(stop_, stretches_); }) {
  stretches_.wait(0, std::memory_order_acquire);
}

StreamingNeighbour::~StreamingNeighbour() {
  stop_.store(true, std::memory_order_relaxed);
  thread_.join();
}

}  // namespace braid::cpu
