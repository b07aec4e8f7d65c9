#include "device/cpu/machine/caches.h"

#include <unistd.h>

namespace braid::cpu {
namespace {

std::int64_t told_or(int name, std::int64_t otherwise) {
  const std::int64_t told = sysconf(name);
  return told > 0 ? told : otherwise;
}

}  // namespace

std::int64_t first_level_bytes() {
  static const std::int64_t bytes = told_or(_SC_LEVEL1_DCACHE_SIZE, std::int64_t{1} << 15);
  return bytes;
}

std::int64_t first_level_ways() {
  static const std::int64_t ways = told_or(_SC_LEVEL1_DCACHE_ASSOC, 8);
  return ways;
}

std::int64_t second_level_bytes() {
  static const std::int64_t bytes = told_or(_SC_LEVEL2_CACHE_SIZE, std::int64_t{1} << 19);
  return bytes;
}

}  // namespace braid::cpu
