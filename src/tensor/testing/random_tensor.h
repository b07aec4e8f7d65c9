#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include <braid/tensor.h>

/// For tests: tensors that a seed decides.

namespace braid {

enum class Numbers { Real, SmallIntegers };

/// Longer tensors repeat this many elements, since drawing numbers takes time; the period is a
/// prime, so that no two rows are equal.
inline constexpr std::size_t kMostDrawn = 100'003;

inline Tensor random_tensor(Dims dims, std::mt19937& random, Numbers numbers = Numbers::Real) {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
  std::uniform_real_distribution<float> real(-1, 1);
  std::uniform_int_distribution<int> integer(-3, 3);
  const auto all = tensor.mutable_data<float>();
  for (float& x : all.first(std::min(all.size(), kMostDrawn)))
    x = numbers == Numbers::Real ? real(random) : static_cast<float>(integer(random));
  for (std::size_t at = kMostDrawn; at < all.size(); at += kMostDrawn)
    std::memcpy(&all[at], all.data(), std::min(kMostDrawn, all.size() - at) * sizeof(float));
  return tensor;
}

/// Random numbers, some of which are NaN, an infinity, denormal or zero.
inline Tensor special_tensor(Dims dims, std::mt19937& random, double share) {
  using Limits = std::numeric_limits<float>;
  constexpr float specials[] = {
      Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e-40F, -1e-40F, 0};
  Tensor tensor = random_tensor(std::move(dims), random);
  for (float& x : tensor.mutable_data<float>())
    if (std::bernoulli_distribution(share)(random)) x = specials[random() % std::size(specials)];
  return tensor;
}

}  // namespace braid
