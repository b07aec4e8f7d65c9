#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace braid::cpu {

/// What a run does to find mistakes of Plans and kernels, if it is asked to: it fills bytes that
/// nothing may read with a pattern (not a number, or a huge one, as the seed decides), and delays
/// steps. The outputs of a right Plan stay the same.
class Poison {
 public:
  explicit Poison(std::uint64_t seed) : seed_(seed) {}

  void fill(std::span<std::byte> bytes) const;
  /// Waits for a moment that the seed, the step and its `moment` decide; often not at all.
  void delay(std::size_t step, int moment) const;

 private:
  std::uint64_t seed_;
};

}  // namespace braid::cpu
