#pragma once

#include <cstdint>

namespace braid::cpu {

/// Elements of several channels, which lie apart.
struct Planes {
  const float* first = nullptr;  ///< of the first channel
  std::int64_t step = 0;         ///< from channel to channel
  std::int64_t channels = 0;
  std::int64_t count = 0;  ///< elements of each channel
};

/// Writes the first element of every channel, then the second one, and so on.
void interleave(const Planes& planes, float* to);

}  // namespace braid::cpu
