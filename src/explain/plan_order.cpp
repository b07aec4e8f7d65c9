#include "explain/plan_order.h"

#include <algorithm>
#include <deque>
#include <map>

#include "plan/region.h"

namespace braid {
namespace {

constexpr std::size_t kMostVisited = 5'000;  // steps, on the way from one to another

/// All bytes of the arena that a step uses, as one range per value.
std::vector<ByteRange> used_bytes(const Graph& graph, const Plan& plan, const Step& step,
                                  bool inputs_too) {
  std::vector<ByteRange> ranges;
  const Node& node = graph.node(step.node);
  const auto add = [&](ValueId value) {
    if (value.valid() && lives_in_arena(graph, value))
      ranges.push_back(hull(region_of(graph.value(value), plan.placements[value.at()])));
  };
  for (ValueId output : node.outputs) add(output);
  if (inputs_too)
    for (ValueId input : node.inputs) add(input);
  if (step.scratch_offset >= 0)
    ranges.push_back({step.scratch_offset, step.scratch_offset + node.lowering.scratch_bytes});
  return ranges;
}

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

}  // namespace

PlanOrder::PlanOrder(const Subject& subject)
    : subject_(subject),
      happens_(subject.graph, subject.plan),
      steps_(steps_by_node(subject.graph, subject.plan)) {}

std::optional<std::vector<Link>> PlanOrder::links(NodeId a, NodeId b) const {
  const auto& from = steps_[a.at()];
  const auto& to = steps_[b.at()];
  const auto ordered = [&](StepRef early) {
    return std::any_of(to.begin(), to.end(),
                       [&](StepRef late) { return happens_.before(early, late); });
  };
  if (std::none_of(from.begin(), from.end(), ordered)) return std::nullopt;
  // Backwards from `b`, breadth first, over steps that come after some step of `a`.
  std::map<StepRef, std::pair<StepRef, Link>> after;  // the next step on the way to `b`
  std::deque<StepRef> open(to.begin(), to.end());
  const auto is_from = [&](StepRef ref) {
    return std::find(from.begin(), from.end(), ref) != from.end();
  };
  while (!open.empty() && after.size() < kMostVisited) {
    const StepRef ref = open.front();
    open.pop_front();
    const auto visit = [&](StepRef before, Link link) {
      const bool leads = is_from(before) || std::any_of(from.begin(), from.end(), [&](StepRef f) {
                           return happens_.before(f, before);
                         });
      if (leads && after.try_emplace(before, ref, link).second) open.push_back(before);
    };
    for (StepRef wait : step_at(subject_.plan, ref).waits) visit(wait, link_of(wait, ref));
    if (ref.index > 0) visit({ref.stream, ref.index - 1}, Link::Stream);
    for (StepRef start : from) {
      if (!after.contains(start)) continue;
      std::vector<Link> row;
      for (auto at = after.find(start); at != after.end(); at = after.find(at->second.first)) {
        row.push_back(at->second.second);
        if (step_at(subject_.plan, at->second.first).node == b) return row;
      }
    }
  }
  return std::vector<Link>{Link::Stream};
}

Link PlanOrder::link_of(StepRef wait, StepRef step) const {
  const Step& early = step_at(subject_.plan, wait);
  const Step& late = step_at(subject_.plan, step);
  if (by_data(late, early.node)) return Link::Data;
  if (by_edit(early.node, late.node)) return Link::Edit;
  return subject_.thrifty && by_memory(early, late) ? Link::Memory : Link::Barrier;
}

/// Whether the step reads what the node wrote, perhaps through views.
bool PlanOrder::by_data(const Step& step, NodeId writer) const {
  std::vector<NodeId> open = {step.node};
  for (std::size_t i = 0; i < open.size(); ++i)
    for (ValueId input : subject_.graph.node(open[i]).inputs) {
      const NodeId producer = input.valid() ? subject_.graph.value(input).producer : NodeId();
      if (!producer.valid()) continue;
      if (producer == writer) return true;
      if (is_view(subject_.graph.node(producer)) &&
          std::find(open.begin(), open.end(), producer) == open.end())
        open.push_back(producer);
    }
  return false;
}

bool PlanOrder::by_edit(NodeId a, NodeId b) const {
  return std::any_of(subject_.constraints.begin(), subject_.constraints.end(),
                     [&](const Constraint& c) {
                       const bool before = contains(c.a, a) && contains(c.b, b);
                       const bool after = contains(c.a, b) && contains(c.b, a);
                       return before || (c.kind == EditKind::NeverParallel && after);
                     });
}

bool PlanOrder::by_memory(const Step& user, const Step& step) const {
  const auto old = used_bytes(subject_.graph, subject_.plan, user, true);
  for (const ByteRange& fresh : used_bytes(subject_.graph, subject_.plan, step, false))
    for (const ByteRange& range : old)
      if (range.begin < fresh.end && fresh.begin < range.end) return true;
  return false;
}

}  // namespace braid
