#pragma once

#include <condition_variable>
#include <mutex>

namespace braid {

/// Counts the calls that are under way on an object, so that its end can wait for them. It is to be
/// the last member: its destructor waits, and only then do the other members go.
class InFlight {
 public:
  InFlight() = default;
  ~InFlight() {
    std::unique_lock lock(mutex_);
    none_left_.wait(lock, [&] { return calls_ == 0; });
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  /// One call. Its end is the last thing that the call does with the object.
  class Call {
   public:
    explicit Call(InFlight& in_flight) : in_flight_(in_flight) {
      const std::scoped_lock lock(in_flight_.mutex_);
      ++in_flight_.calls_;
    }
    ~Call() {
      const std::scoped_lock lock(in_flight_.mutex_);
      if (--in_flight_.calls_ == 0) in_flight_.none_left_.notify_all();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    InFlight& in_flight_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable none_left_;
  int calls_ = 0;
};

}  // namespace braid
