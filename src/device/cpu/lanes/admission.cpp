#include "device/cpu/lanes/admission.h"

namespace braid::cpu {

int Admission::enter() {
  std::unique_lock lock(mutex_);
  if (under_way_ < limit_ && first_ == nullptr) return ++under_way_;
  Waiter self;
  (first_ == nullptr ? first_ : last_->next) = &self;
  last_ = &self;
  ++waiting_;
  self.admitted.wait(lock, [&] { return self.is_admitted; });
  return under_way_;
}

int Admission::waiting() {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

void Admission::leave() {
  const std::scoped_lock lock(mutex_);
  if (first_ == nullptr) {
    --under_way_;
    return;
  }
  // The place goes to the run that has waited longest; no other can come between.
  Waiter& next = *first_;
  first_ = next.next;
  --waiting_;
  next.is_admitted = true;
  next.admitted.notify_one();
}

}  // namespace braid::cpu
