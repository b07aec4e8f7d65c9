#include "tests/devices/checks.h"

namespace braid {

const std::vector<Check>& checks() {
  static const auto* const all = new std::vector<Check>{
      {"RunsNetworksAsTheyEvaluate", check_networks},
      {"MovesElementsWhereTheyBelong", check_movement},
      {"GivesTheSameBitsUnderEveryScheduler", check_schedulers},
      {"GivesTheSameBitsWhenPoisoned", check_poison},
      {"TracesEveryStepInItsOrder", check_traces},
      {"AnswersEachInputAnew", check_new_inputs},
      {"FailsAsEvaluateDoesAndRunsAgain", check_faults},
      {"ServesSeveralCallersAtOnce", check_callers},
      {"KeepsProgramsCompiledTogetherApart", check_programs_together},
      {"LeavesProgramsRunnableWhenItIsGone", check_programs_that_stay},
  };
  return *all;
}

}  // namespace braid
