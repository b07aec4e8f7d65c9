#pragma once

#include <filesystem>
#include <optional>

namespace braid {

/// What the threads of this process have had of the machine until now, in seconds.
struct ProcessorTime {
  double ran_s = 0;
  double waited_s = 0;  ///< ready to run, while something else had the core
  double stolen_s = 0;  ///< by other guests of the machine under this one; on all of its cores
};

/// Reads proc/self/task/*/schedstat and proc/stat under `root`. Nothing where the system does not
/// tell.
std::optional<ProcessorTime> processor_time(const std::filesystem::path& root = "/");

/// The share of the processor time that this process asked for between two moments, and that others
/// had: 0 on a quiet machine, 0.5 where every core is shared with one other thread. Nothing if it
/// asked for none, or if either moment is not known.
std::optional<double> share_of_others(const std::optional<ProcessorTime>& before,
                                      const std::optional<ProcessorTime>& after);

}  // namespace braid
