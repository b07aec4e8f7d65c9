#pragma once

#include "choose/choose.h"

namespace braid {

/// The Plan of `options.given`, for a graph lowered for this device, made to obey the edits. Throws
/// Model if it is malformed, made for another graph or device, or may go wrong; Quota if it needs
/// more memory than the budget allows.
Plan given_plan(const ChoiceSubject& subject, const PlanOptions& options);

}  // namespace braid
