#pragma once

#include <string>
#include <string_view>

#include "device/device.h"
#include "pipeline/prepare.h"
#include "schedule/memory_budget.h"

namespace braid {

/// A Plan that verify() has passed, and why it was taken if others were tried.
struct ChosenPlan {
  Plan plan;
  std::string reason = {};
};

/// The Plan of `options.plan`, for a graph lowered for this device, made to obey the edits. Throws
/// Model if it is malformed, made for another graph or device, or may go wrong; Quota if it needs
/// more memory than the budget allows.
ChosenPlan loaded_plan(const Prepared& lowered, const Device& device,
                       const PrepareOptions& options);

/// A Plan by a scheduler, made to obey the edits, and within the budget if there is one.
ChosenPlan scheduled_plan(const Prepared& lowered, const Device& device,
                          const PrepareOptions& options, std::string_view scheduler,
                          const Progress& progress);

/// How Plans of less memory are looked for. What is given must outlive it.
ThriftOptions thrift_options(const Prepared& lowered, const Device& device,
                             std::string_view scheduler, const Progress& progress);

}  // namespace braid
