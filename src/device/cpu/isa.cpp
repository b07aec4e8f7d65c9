#include "device/cpu/isa.h"

#include <algorithm>
#include <atomic>

namespace braid::cpu {
namespace {

std::atomic<Isa> limit_of_tests = Isa::Avx512;

Isa detect() {
  if (__builtin_cpu_supports("fma") == 0) return Isa::Baseline;
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    return Isa::Avx512;
  return __builtin_cpu_supports("avx2") != 0 ? Isa::Avx2 : Isa::Baseline;
}

}  // namespace

Isa isa() {
  static const Isa best = detect();
  return std::min(best, limit_of_tests.load(std::memory_order_relaxed));
}

LimitedIsa::LimitedIsa(Isa limit) { limit_of_tests = limit; }
LimitedIsa::~LimitedIsa() { limit_of_tests = Isa::Avx512; }

}  // namespace braid::cpu
