#pragma once

namespace braid::cpu {

/// Instruction sets that own kernels are compiled for.
enum class Isa { Baseline, Avx2, Avx512 };

/// The best that this processor has, or what a LimitedIsa allows.
Isa isa();

/// For tests: while it lives, no thread uses more than `limit`.
class LimitedIsa {
 public:
  explicit LimitedIsa(Isa limit);
  ~LimitedIsa();
  LimitedIsa(const LimitedIsa&) = delete;
  LimitedIsa& operator=(const LimitedIsa&) = delete;
};

template <class Body>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]] void run_avx512(const Body& body) {
  body();
}

template <class Body>
[[gnu::target("avx2,fma")]] void run_avx2(const Body& body) {
  body();
}

/// Runs the loops of `body` compiled for the best instruction set. The body is a lambda marked
/// `__attribute__((always_inline))`, and so is what it calls in its loops.
template <class Body>
void on_best_isa(const Body& body) {
  switch (isa()) {
    case Isa::Avx512:
      return run_avx512(body);
    case Isa::Avx2:
      return run_avx2(body);
    case Isa::Baseline:
      return body();
  }
}

}  // namespace braid::cpu
