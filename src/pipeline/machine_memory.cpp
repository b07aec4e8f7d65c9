#include "pipeline/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/format.h>

namespace braid {
namespace {

/// A number with K, M or G behind it, or none; nothing if the file does not begin with one.
std::optional<std::int64_t> read_size(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number) || number < 0) return std::nullopt;
  char unit = 0;
  file >> unit;
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  return number < (std::int64_t{1} << 32) ? number << shift : number;
}

std::int64_t available_bytes(const std::string& proc) {
  std::ifstream file(proc + "/meminfo");
  std::string name;
  std::int64_t kilobytes = 0;
  std::string unit;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

}  // namespace

std::int64_t last_level_cache_bytes(const std::string& sys) {
  constexpr int most = 8;
  std::int64_t largest = 0;
  for (int i = 0; i < most; ++i)
    largest = std::max(
        largest, read_size(fmt::format("{}/devices/system/cpu/cpu0/cache/index{}/size", sys, i))
                     .value_or(0));
  return largest;
}

std::int64_t free_memory_bytes(const std::string& proc, const std::string& sys) {
  const std::int64_t available = available_bytes(proc);
  const auto limit = read_size(sys + "/fs/cgroup/memory.max");
  const auto used = read_size(sys + "/fs/cgroup/memory.current");
  if (!limit || !used) return available;
  const std::int64_t left = std::max<std::int64_t>(0, *limit - *used);
  return available == 0 ? left : std::min(available, left);
}

}  // namespace braid
