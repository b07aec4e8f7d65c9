#pragma once

#include <string>

#include "cli/planned_model.h"
#include "trace/trace.h"

namespace braid::cli {

/// Writes what happened in a run of the model as Chrome trace JSON.
void write_trace(const std::string& file, const PlanningArguments& arguments,
                 const PlannedModel& planned, const Trace& trace);

}  // namespace braid::cli
