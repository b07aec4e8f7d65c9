#pragma once

#include <optional>
#include <string>

#include "choose/choose.h"

namespace braid {

/// The Plan of a graph that a contest on the device (choose/on_device.h) settled on is kept beside
/// the profile, so that who opens the model again neither searches nor measures. It holds for the
/// same lowered graph, kernels, machine, scheduler and budget. A kept Plan is checked like one that
/// a user loads: a damaged or forged cache may cost time, but not change an answer.
class SettledPlan {
 public:
  /// What is given outlives it.
  SettledPlan(const ChoiceSubject& subject, const PlanOptions& options,
              const ProfileOptions& costs);

  /// Nothing if no contest was held, if contests are to be held again, or if more is asked of the
  /// Plan than is kept: a given Plan or costs, a search of a certain length. What cannot be used
  /// is told through `costs.warn`.
  std::optional<Kept> find(const Quotas& quotas, const Progress& progress) const;
  void keep(const Kept& kept) const;

 private:
  bool is_asked_for_more() const;
  std::string graph() const;

  const ChoiceSubject& subject_;
  const PlanOptions& options_;
  const ProfileOptions& costs_;
};

}  // namespace braid
