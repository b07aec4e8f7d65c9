#pragma once

#include <functional>
#include <map>
#include <memory>

#include <braid/tensor.h>

namespace braid {

/// While one lives, what its thread reads of promised tensors is made for it alone, and goes with
/// it: for those who pack a constant and never read it again. What was made and kept before is read
/// as it is. Bytes that were read must not be used beyond its life.
class PassingTensors {
 public:
  PassingTensors();
  ~PassingTensors();
  PassingTensors(const PassingTensors&) = delete;
  PassingTensors& operator=(const PassingTensors&) = delete;

  /// The innermost one that the calling thread has; null if it has none.
  static PassingTensors* of_thread();

  /// What this promise's recipe makes, made at the first call.
  const Tensor& made(const std::shared_ptr<const void>& promise,
                     const std::function<Tensor()>& recipe);

 private:
  struct Made {
    std::shared_ptr<const void> promise;  // so that no other one gets its address
    Tensor tensor;
  };

  std::map<const void*, Made> made_;
  PassingTensors* outer_;
};

}  // namespace braid
