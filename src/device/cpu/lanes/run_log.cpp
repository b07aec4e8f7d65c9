#include "device/cpu/lanes/run_log.h"

namespace braid::cpu {

Trace RunLog::trace(const Script& script) const {
  Trace trace;
  for (int lane = 0; lane < script.lanes(); ++lane)
    for (std::size_t i = script.first[static_cast<std::size_t>(lane)];
         i < script.first[static_cast<std::size_t>(lane) + 1]; ++i) {
      const RunStep& step = script.steps[i];
      const Times& times = times_[i];
      if (times.begin < 0) continue;  // a view
      const int stream = script.streams[static_cast<std::size_t>(lane)];
      if (times.wait_begin >= 0)
        trace.events.push_back({"wait before " + step.name, std::string(kWaitCategory), stream,
                                times.wait_begin, times.begin, step.part, step.parts, step.node});
      trace.events.push_back({step.name, step.op, stream, times.begin, times.end, step.part,
                              step.parts, step.node, step.steps});
    }
  return trace;
}

}  // namespace braid::cpu
