#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "choose/settlement.h"
#include "cost/contest_times.h"
#include "device/device.h"

namespace braid {

/// A Plan that is ready to run.
struct Contender {
  const Plan& plan;
  Program& program;
};

struct ContestVerdict {
  bool challenger_won = false;
  std::string reason = {};
};
/// Compares 20th percentiles; the challenger must win by more than noise.
ContestVerdict judge(const Plan& champion, const Plan& challenger, const ContestTimes& times);
/// The same, as it is told later; without the machine and the day.
HeldContest told_of(const Plan& champion, const Plan& challenger, const ContestTimes& times);

/// Runs two Plans of one graph by turns on the device. Their outputs must be equal bit by bit:
/// throws Internal, naming the schedulers, if they are not.
ContestTimes run_by_turns(const Graph& lowered, const Contender& champion,
                          const Contender& challenger, const Progress& progress);

}  // namespace braid
