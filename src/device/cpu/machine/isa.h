#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid::cpu {

/// Instruction sets that kernels are compiled for and proved on, each with all before it. Of what
/// a processor has beyond them nothing is used: float32 gains nothing by it.
enum class Isa { Baseline, Avx2, Avx512 };

/// "baseline" (SSE4.1), "avx2" (with FMA), "avx512" (F, BW, DQ and VL).
std::string_view name(Isa isa);
/// Throws Usage, with `where` the name comes from, for any other name.
Isa isa_named(std::string_view name, std::string_view where);

/// What own kernels use: that of machine() (device/cpu/machine/machine.h), which limit_isa() and
/// the environment variable BRAID_MAX_ISA lower. Cheap; throws as machine() does.
Isa isa();
/// The same without what tests describe: oneDNN's, which cannot change any more once it is used.
Isa isa_of_process();
/// The best that the machine has, without limits.
Isa best_isa();
/// Uses no more than this, in own kernels and in oneDNN, for as long as the process lives. Comes
/// before any kernel is made. Throws Usage if the machine has no such instructions or if the
/// process already uses others.
void limit_isa(Isa limit);

/// For tests of own kernels: while the only one lives, no thread uses more than `limit` in them.
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

/// Runs `body` compiled for an instruction set that the processor has.
template <Isa Set, class Body>
[[gnu::always_inline]] inline void run_on(const Body& body) {
  if constexpr (Set == Isa::Avx512)
    run_avx512(body);
  else if constexpr (Set == Isa::Avx2)
    run_avx2(body);
  else
    body();
}

/// What `make`, a function template of instruction sets, gives for one.
template <class Make>
decltype(auto) made_for(Isa isa, const Make& make) {
  switch (isa) {
    case Isa::Avx512:
      return make.template operator()<Isa::Avx512>();
    case Isa::Avx2:
      return make.template operator()<Isa::Avx2>();
    case Isa::Baseline:
      break;
  }
  return make.template operator()<Isa::Baseline>();
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
