#include "device/cpu/fingerprint.h"

#include <fstream>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/text.h"
#include "device/cpu/isa.h"

namespace braid::cpu {
namespace {

/// One more whenever the kernels became faster or slower: what was measured before is then measured
/// anew.
constexpr int kKernelVersion = 9;

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos)
      return printable(line.substr(colon + 2));
  }
  return "unknown processor";
}

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return "AVX-512";
    case Isa::Avx2:
      return "AVX2";
    case Isa::Baseline:
      return "baseline";
  }
  return "";
}

}  // namespace

std::string fingerprint(int lanes, bool is_pinned) {
  const dnnl_version_t& version = *dnnl_version();
  return fmt::format("{}, {}; oneDNN {}.{}.{} for {:#x}; kernels {}; lanes {}{}", processor(),
                     name(isa()), version.major, version.minor, version.patch,
                     static_cast<int>(dnnl::get_effective_cpu_isa()), kKernelVersion, lanes,
                     is_pinned ? ", pinned" : "");
}

}  // namespace braid::cpu
