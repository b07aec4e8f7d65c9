#include "cli/trace_file.h"

#include <filesystem>

#include "base/output_file.h"
#include "base/text.h"
#include "report/chrome_trace.h"

namespace braid::cli {

void write_trace(const std::string& file, const PlanningArguments& arguments,
                 const PlannedModel& planned, const Trace& trace) {
  const Runnable& prepared = planned.prepared;
  const Device& device = *planned.device;
  const std::filesystem::path model = arguments.model.model;
  write_file(file, chrome_trace({.model = printable(model.filename().string()),
                                 .hardware = device.fingerprint(),
                                 .version = BRAID_VERSION,
                                 .kept = prepared.reason,
                                 .lowered = prepared.lowered(),
                                 .plan = prepared.plan,
                                 .device = device.spec(),
                                 .costs = prepared.profile().costs,
                                 .simulated = device.is_simulated()},
                                trace));
}

}  // namespace braid::cli
