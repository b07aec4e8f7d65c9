#include "choose/processor_time.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <unistd.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

constexpr double kNanosecond_s = 1e-9;

/// Adds what a thread had. False if the file does not tell: the thread may have ended.
bool add_thread(const fs::path& schedstat, ProcessorTime& time) {
  std::ifstream file(schedstat);
  double ran_ns = 0;
  double waited_ns = 0;
  if (!(file >> ran_ns >> waited_ns)) return false;
  time.ran_s += ran_ns * kNanosecond_s;
  time.waited_s += waited_ns * kNanosecond_s;
  return true;
}

/// The eighth number of the first line, "cpu user nice system idle iowait irq softirq steal"; 0 if
/// there is none.
double stolen_s(const fs::path& stat) {
  std::ifstream file(stat);
  std::string label;
  double ticks = 0;
  file >> label;
  for (int column = 0; column < 8; ++column)
    if (!(file >> ticks)) return 0;
  return ticks / static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::optional<ProcessorTime> processor_time(const fs::path& root) {
  ProcessorTime time;
  bool known = false;
  std::error_code none;
  for (const fs::directory_entry& thread : fs::directory_iterator(root / "proc/self/task", none))
    known = add_thread(thread.path() / "schedstat", time) || known;
  if (!known) return std::nullopt;
  time.stolen_s = stolen_s(root / "proc/stat");
  return time;
}

std::optional<double> share_of_others(const std::optional<ProcessorTime>& before,
                                      const std::optional<ProcessorTime>& after) {
  if (!before || !after) return std::nullopt;
  // Threads that have ended take their times with them.
  const double ran_s = std::max(0.0, after->ran_s - before->ran_s);
  const double others_s = std::max(0.0, after->waited_s - before->waited_s) +
                          std::max(0.0, after->stolen_s - before->stolen_s);
  if (!(ran_s + others_s > 0)) return std::nullopt;
  return others_s / (ran_s + others_s);
}

}  // namespace braid
