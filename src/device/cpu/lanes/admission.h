#pragma once

#include <condition_variable>
#include <mutex>

namespace braid::cpu {

/// Lets runs in, in the order in which they came, at most `limit` at once. More would only take
/// memory and the cores from one another.
class Admission {
 public:
  explicit Admission(int limit) : limit_(limit) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// How many runs wait for their turn.
  int waiting();

  /// A place among the runs under way, held while this lives.
  class Turn {
   public:
    explicit Turn(Admission& admission) : admission_(admission), under_way_(admission.enter()) {}
    ~Turn() { admission_.leave(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// How many runs were under way when this one was let in, itself included.
    int under_way() const { return under_way_; }

   private:
    Admission& admission_;
    int under_way_;
  };

 private:
  struct Waiter {
    std::condition_variable admitted;
    bool is_admitted = false;
    Waiter* next = nullptr;
  };

  int enter();
  void leave();

  const int limit_;
  std::mutex mutex_;
  int under_way_ = 0;
  int waiting_ = 0;
  Waiter* first_ = nullptr;  // those who wait, on their own stacks
  Waiter* last_ = nullptr;
};

}  // namespace braid::cpu
