#pragma once

#include <cstdint>
#include <string_view>

#include <braid/tensor.h>

namespace braid::zoo {

/// Seeded float32 tensors. Each element depends on the seed, the tensor's name and the element's
/// index alone, so models stay the same when layers are built in another order; there is no
/// library function in it, so they are the same on every platform.
class Weights {
 public:
  explicit Weights(std::uint64_t seed) : seed_(seed) {}

  /// Bell-shaped around zero (the sum of four uniform numbers), never beyond 3.5 deviations.
  Tensor normal(std::string_view name, Dims dims, double deviation) const;
  Tensor uniform(std::string_view name, Dims dims, double low, double high) const;

 private:
  std::uint64_t key(std::string_view name) const;

  std::uint64_t seed_;
};

}  // namespace braid::zoo
