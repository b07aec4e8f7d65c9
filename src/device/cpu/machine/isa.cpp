#include "device/cpu/machine/isa.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cpu {
namespace {

struct Named {
  std::string_view name;
  Isa isa;
};
constexpr std::array kNames = {Named{"baseline", Isa::Baseline}, Named{"avx2", Isa::Avx2},
                               Named{"avx512", Isa::Avx512}};

std::atomic<Isa> limit_of_tests = Isa::Avx512;

Isa detect() {
  if (__builtin_cpu_supports("fma") == 0) return Isa::Baseline;
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    return Isa::Avx512;
  return __builtin_cpu_supports("avx2") != 0 ? Isa::Avx2 : Isa::Baseline;
}

/// oneDNN's own limits hold for all kernels, so that its kernels and ours are always a pair that is
/// tested.
Isa limit_of_library() {
  for (const char* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(variable); value != nullptr) {
      const std::string_view limit = value;
      if (limit == "SSE41" || limit == "AVX") return Isa::Baseline;
      if (limit.starts_with("AVX2")) return Isa::Avx2;
      break;
    }
  return Isa::Avx512;
}

Isa limit_of_environment() {
  constexpr const char* variable = "BRAID_MAX_ISA";
  const char* value = std::getenv(variable);
  const bool is_set = value != nullptr && *value != '\0';
  return std::min(limit_of_library(), is_set ? isa_named(value, variable) : Isa::Avx512);
}

/// Decided once, at the first question or by limit_isa().
class Decision {
 public:
  Isa get() {
    const int decided = decided_.load(std::memory_order_acquire);
    return decided != kOpen ? static_cast<Isa>(decided) : decide(limit_of_environment());
  }

  Isa decide(Isa limit) {
    const std::scoped_lock lock(mutex_);
    if (decided_ == kOpen) decided_ = static_cast<int>(std::min(best_isa(), limit));
    return static_cast<Isa>(decided_.load());
  }

 private:
  static constexpr int kOpen = -1;
  std::mutex mutex_;
  std::atomic<int> decided_ = kOpen;
};

constinit Decision decision;

}  // namespace

std::string_view name(Isa isa) { return kNames[static_cast<std::size_t>(isa)].name; }

Isa isa_named(std::string_view name, std::string_view where) {
  for (const Named& known : kNames)
    if (known.name == name) return known.isa;
  raise(ErrorKind::Usage, fmt::format("{} names the instruction set {}, expected baseline, avx2 or "
                                      "avx512",
                                      where, quote(name)));
}

Isa best_isa() {
  static const Isa best = detect();
  return best;
}

Isa isa_of_process() { return decision.get(); }

Isa isa() { return std::min(isa_of_process(), limit_of_tests.load(std::memory_order_relaxed)); }

void limit_isa(Isa limit) {
  if (limit > best_isa())
    raise(ErrorKind::Usage, fmt::format("this processor has no {}; the best that it has is {}",
                                        name(limit), name(best_isa())));
  if (const Isa decided = decision.decide(limit); decided != limit)
    raise(ErrorKind::Usage,
          fmt::format("cannot use {} any more: this process already uses {}; name the "
                      "instruction set before the first model",
                      name(limit), name(decided)));
}

LimitedIsa::LimitedIsa(Isa limit) { limit_of_tests = limit; }
LimitedIsa::~LimitedIsa() { limit_of_tests = Isa::Avx512; }

}  // namespace braid::cpu
