#pragma once

#include <memory>

#include "choose/choose.h"

namespace braid {

/// A kept Plan, made runnable.
struct KeptProgram {
  Kept kept;
  std::unique_ptr<Program> program;
};

/// How the last word is found.
struct ContestOptions {
  bool wanted = false;
  ProfileOptions costs = {};  ///< where contests are remembered
};

/// The last word: if a contest is wanted, the Plan runs by turns with that of the scheduler which
/// everything is measured against, and what is kept of the two with the same on one stream; the
/// challenger is kept only if it is faster beyond noise. Two Plans that met before under the same
/// conditions do not run again, and what was settled is kept (choose/settled_plan.h). A given Plan
/// is not contested, and nothing is on a device that does not run Programs.
KeptProgram choose_on_device(Kept kept, const ChoiceSubject& subject, const PlanOptions& options,
                             const Quotas& quotas, const ContestOptions& contest,
                             const Progress& progress);

}  // namespace braid
