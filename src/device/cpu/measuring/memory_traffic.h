#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace braid::cpu {

/// Memory that is read to drive other bytes out of the caches, and to keep the bus busy.
class MemoryTraffic {
 public:
  explicit MemoryTraffic(std::int64_t bytes);

  /// Reads the first `bytes` once on each of `threads` threads at the same time, the caller's
  /// among them. Each begins elsewhere, so that none finds in a cache what another just read.
  void sweep(std::int64_t bytes, int threads) const;
  /// Reads all of it once, each thread its share; returns how long they took for each megabyte, in
  /// microseconds. On a busy machine a thread may lose its core now and then, but not in most of
  /// these.
  std::vector<double> read_times_us(int threads) const;
  /// Reads all of it, again and again, until told to stop; counts stretches of a megabyte.
  void stream(const std::atomic<bool>& stop, std::atomic<std::int64_t>& stretches) const;

  std::int64_t bytes() const { return static_cast<std::int64_t>(lines_ * sizeof(Line)); }

 private:
  struct alignas(64) Line {
    std::uint64_t words[8];
  };
  void read(std::size_t begin, std::size_t end) const;
  void read_from(std::size_t begin, std::size_t lines) const;

  std::size_t lines_;
  std::shared_ptr<std::byte> memory_;  ///< in large pages, as the weights of a run are
  Line* first_;
};

/// A thread that streams memory as long as the object lives. It is at work when the constructor
/// returns.
class StreamingNeighbour {
 public:
  explicit StreamingNeighbour(const MemoryTraffic& traffic);
  ~StreamingNeighbour();
  StreamingNeighbour(const StreamingNeighbour&) = delete;
  StreamingNeighbour& operator=(const StreamingNeighbour&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> stretches_ = 0;
  std::thread thread_;
};

}  // namespace braid::cpu
