#include "zoo/weights.h"

#include <cmath>

#include "base/hash.h"

namespace braid::zoo {
namespace {

constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

/// The output function of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t Weights::key(std::string_view name) const {
  Hasher hasher;
  hasher.add(seed_);
  hasher.add(name);
  return hasher.finish().low;
}

Tensor Weights::normal(std::string_view name, Dims dims, double deviation) const {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
  // The sum of four uniform 16-bit numbers has this mean and deviation.
  constexpr std::int64_t mean = 2 * 0xffff;
  const double unit = 65536.0 / std::sqrt(3.0);
  const auto scale = static_cast<float>(deviation / unit);
  std::uint64_t state = key(name);
  for (float& element : tensor.mutable_data<float>()) {
    const std::uint64_t bits = mixed(state += kGoldenRatio);
    const std::uint64_t sum =
        (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    element = static_cast<float>(static_cast<std::int64_t>(sum) - mean) * scale;
  }
  return tensor;
}

Tensor Weights::uniform(std::string_view name, Dims dims, double low, double high) const {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
  const double step = std::ldexp(high - low, -24);
  std::uint64_t state = key(name);
  for (float& element : tensor.mutable_data<float>()) {
    const std::uint64_t bits = mixed(state += kGoldenRatio);
    element = static_cast<float>(low + static_cast<double>(bits >> 40) * step);
  }
  return tensor;
}

}  // namespace braid::zoo
