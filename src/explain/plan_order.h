#pragma once

#include <optional>
#include <vector>

#include "explain/subject.h"
#include "plan/happens_before.h"

namespace braid {

/// Why a step comes after another in a Plan.
enum class Link {
  Stream,  ///< it stands behind it
  Data,    ///< it reads what the other wrote
  Edit,    ///< a person asked for it
  Memory,  ///< it writes bytes that the other used
  Barrier  ///< the scheduler wanted it so
};

/// The orders of a Plan, each with its reason.
class PlanOrder {
 public:
  explicit PlanOrder(const Subject& subject);

  /// One way by which `a` comes before `b`: the links of a shortest row of steps between any of
  /// their steps, or one Stream link if that row is very long. Nothing if the Plan leaves their
  /// order open.
  std::optional<std::vector<Link>> links(NodeId a, NodeId b) const;
  const std::vector<StepRef>& steps(NodeId node) const { return steps_[node.at()]; }

 private:
  Link link_of(StepRef wait, StepRef step) const;
  bool by_data(const Step& step, NodeId writer) const;
  bool by_edit(NodeId a, NodeId b) const;
  bool by_memory(const Step& user, const Step& step) const;

  const Subject& subject_;
  HappensBefore happens_;
  std::vector<std::vector<StepRef>> steps_;
};

}  // namespace braid
