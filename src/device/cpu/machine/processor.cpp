#include "device/cpu/machine/processor.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "device/cpu/machine/cores.h"
#include "device/cpu/machine/machine_file.h"

namespace braid::cpu {
namespace {

/// What /proc/cpuinfo says of the first processor; empty if it does not.
std::string told_by_system(std::string_view what) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon - 1);
    if (std::string_view(line).substr(0, end + 1) == what)
      return printable(line.substr(colon + 2), 100);
  }
  return {};
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Isa best_instructions() {
  if (__builtin_cpu_supports("fma") == 0) return Isa::Baseline;
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    return Isa::Avx512;
  return __builtin_cpu_supports("avx2") != 0 ? Isa::Avx2 : Isa::Baseline;
}

std::int64_t told_large_page_bytes() {
  std::int64_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  return bytes;
}

Machine ask() {
  Machine told;
  if (std::string name = told_by_system("model name"); !name.empty()) told.processor = name;
  told.family = number_in(told_by_system("cpu family"));
  told.model = number_in(told_by_system("model"));
  told.isa = best_instructions();
  told.first_level_bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  told.first_level_ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  told.second_level_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  told.last_level_bytes = last_level_bytes();
  told.large_page_bytes = told_large_page_bytes();
  const Cores cores = usable_cores();
  told.cores = static_cast<int>(cores.allowed.size());
  told.lanes = cores.at_once;
  return with_defaults(told);
}

}  // namespace

const Machine& ask_processor() {
  static const Machine* const told = new Machine(ask());
  return *told;
}

std::int64_t last_level_bytes(const std::string& sys) {
  constexpr int most = 8;
  std::int64_t largest = 0;
  for (int i = 0; i < most; ++i) {
    std::ifstream file(fmt::format("{}/devices/system/cpu/cpu0/cache/index{}/size", sys, i));
    std::int64_t number = 0;
    char unit = 0;
    if (file >> number >> unit && number < (std::int64_t{1} << 32))
      largest = std::max(largest, number << (unit == 'M' ? 20 : 10));
  }
  return largest;
}

}  // namespace braid::cpu
