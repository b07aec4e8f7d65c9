#include "peak.h"

#include <chrono>

#include <immintrin.h>

#include "device/cpu/machine/isa.h"

namespace braid::kernels_bench {
namespace {

constexpr int kRounds = 20'000;
/// Enough chains to hide the latency of two units, and few enough for sixteen registers.
constexpr int kChains = 12;
/// Factor and term under which the sums stay where they are.
constexpr float kFactor = 0.5F;
constexpr float kTerm = 0.5F;

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] void chains_avx512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1);
  const __m512 factor = _mm512_set1_ps(kFactor);
  const __m512 term = _mm512_set1_ps(kTerm);
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
  for (__m512& sum : sums) asm volatile("" : : "v"(sum));
}

[[gnu::target("avx2,fma")]] void chains_avx2() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(1);
  const __m256 factor = _mm256_set1_ps(kFactor);
  const __m256 term = _mm256_set1_ps(kTerm);
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, term);
  for (__m256& sum : sums) asm volatile("" : : "x"(sum));
}

void chains_baseline() {
  __m128 sums[kChains];
  for (__m128& sum : sums) sum = _mm_set1_ps(1);
  const __m128 factor = _mm_set1_ps(kFactor);
  const __m128 term = _mm_set1_ps(kTerm);
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (__m128& sum : sums) sum = _mm_add_ps(_mm_mul_ps(sum, factor), term);
  for (__m128& sum : sums) asm volatile("" : : "x"(sum));
}

struct Chains {
  void (*run)();
  int lanes;
};

Chains chains_of(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::Avx512:
      return {chains_avx512, 16};
    case cpu::Isa::Avx2:
      return {chains_avx2, 8};
    case cpu::Isa::Baseline:
      break;
  }
  return {chains_baseline, 4};
}

}  // namespace

double multiply_add_gflops() {
  const Chains chains = chains_of(cpu::isa());
  const auto start = std::chrono::steady_clock::now();
  chains.run();
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
  return 2.0 * chains.lanes * kChains * kRounds / passed.count();
}

}  // namespace braid::kernels_bench
