#include "tensor/passing_tensors.h"

namespace braid {
namespace {

thread_local PassingTensors* innermost = nullptr;

}  // namespace

PassingTensors::PassingTensors() : outer_(innermost) { innermost = this; }
PassingTensors::~PassingTensors() { innermost = outer_; }

PassingTensors* PassingTensors::of_thread() { return innermost; }

const Tensor& PassingTensors::made(const std::shared_ptr<const void>& promise,
                                   const std::function<Tensor()>& recipe) {
  const auto found = made_.find(promise.get());
  if (found != made_.end()) return found->second.tensor;
  Tensor tensor = recipe().aligned();  // which may make others on its way
  return made_.emplace(promise.get(), Made{promise, std::move(tensor)}).first->second.tensor;
}

}  // namespace braid
