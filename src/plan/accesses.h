#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/happens_before.h"
#include "plan/plan.h"
#include "plan/view.h"

namespace braid {

/// The steps of a Plan that touch a value's bytes.
///
/// A step reads all of its inputs, even if it is one part of its node, and writes its outputs or
/// its range of them; it may do so at any moment from its begin to its end. A step that is a view
/// touches nothing: a step that reads its output reads what the producers of its inputs wrote. If a
/// value is read through a view of a slice, all of it counts as read.
class Accesses {
 public:
  /// The nodes lowered as views are ones that rejects_view() does not reject.
  Accesses(const Graph& graph, const Plan& plan);

  /// The last steps that write bytes of the value, directly or through views.
  const Frontier& writers(ValueId value) const { return writers_[value.at()]; }
  /// The last steps that write or read bytes that the value's producer wrote.
  const Frontier& users(ValueId value) const { return users_[value.at()]; }
  /// All steps of a node.
  const std::vector<StepRef>& steps(NodeId node) const { return steps_[node.at()]; }
  const std::vector<ViewLink>& links() const { return links_; }

 private:
  void add_steps(const Graph& graph, NodeId id);

  std::vector<std::vector<StepRef>> steps_;
  std::vector<Frontier> writers_;
  std::vector<Frontier> users_;
  std::vector<ViewLink> links_;  // of all views, in topological order
};

}  // namespace braid
