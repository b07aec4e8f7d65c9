#include "device/cpu/machine/caches.h"

#include <unistd.h>

namespace braid::cpu {

std::int64_t first_level_bytes() {
  static const std::int64_t bytes = [] {
    const std::int64_t told = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return told > 0 ? told : std::int64_t{1} << 15;
  }();
  return bytes;
}

std::int64_t second_level_bytes() {
  static const std::int64_t bytes = [] {
    const std::int64_t told = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return told > 0 ? told : std::int64_t{1} << 19;
  }();
  return bytes;
}

}  // namespace braid::cpu
