#include <algorithm>
#include <functional>
#include <queue>
#include <ranges>

#include "base/error.h"
#include "plan/constraints.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/waits.h"

namespace braid {
namespace {

/// A step on its way from the old Plan to the new one.
struct Moving {
  Step step;
  std::size_t stream = 0;
  std::vector<std::size_t> waits = {};  // numbers of steps that it waited for
  StepRef placed = {};
};

class Rearranged {
 public:
  Rearranged(const Graph& graph, const Plan& plan, std::span<const Constraint> constraints)
      : graph_(graph),
        plan_(plan),
        constraints_(constraints),
        steps_of_(graph.node_limit()),
        befores_of_(graph.node_limit()) {
    take_steps();
    for (std::size_t k = 0; k < constraints.size(); ++k)
      if (constraints[k].kind == EditKind::Before)
        for (NodeId node : constraints[k].a) befores_of_[node.at()].push_back(k);
  }

  Plan run() {
    find_order();
    Plan result = plan_;
    result.streams.assign(streams_, {});
    for (std::size_t number : order_) {
      Moving& moving = steps_[number];
      auto& stream = result.streams[moving.stream];
      moving.placed = {StreamId(static_cast<std::int64_t>(moving.stream)),
                       static_cast<std::int32_t>(stream.size())};
      stream.push_back(moving.step);
    }
    add_data_waits(graph_, result);
    keep_waits(result);
    for (const Constraint& constraint : constraints_) {
      if (constraint.kind == EditKind::Before) add_before(constraint, result);
      if (constraint.kind == EditKind::NeverParallel) keep_apart(constraint, result);
    }
    reduce_waits(graph_, result);
    if (!plan_.placements.empty()) place(graph_, result);
    return result;
  }

 private:
  /// Numbers the steps in an order in which the old Plan may run; pinned nodes become whole.
  void take_steps() {
    std::vector<int> pinned(graph_.node_limit(), -1);
    streams_ = plan_.streams.size();
    for (const Constraint& constraint : constraints_)
      if (constraint.kind == EditKind::Pin) {
        for (NodeId node : constraint.a) pinned[node.at()] = constraint.stream;
        streams_ = std::max(streams_, static_cast<std::size_t>(constraint.stream) + 1);
      }
    const HappensBefore happens(graph_, plan_);
    std::vector<std::vector<std::size_t>> number(plan_.streams.size());
    for (std::size_t s = 0; s < number.size(); ++s) number[s].resize(plan_.streams[s].size());
    const auto number_of = [&](StepRef ref) -> std::size_t& {
      return number[ref.stream.at()][static_cast<std::size_t>(ref.index)];
    };
    for (StepRef ref : happens.order()) {
      const Step& step = step_at(plan_, ref);
      auto& known = steps_of_[step.node.at()];
      const int pin = pinned[step.node.at()];
      if (pin < 0 || known.empty()) {
        known.push_back(steps_.size());
        steps_.push_back({step, pin < 0 ? ref.stream.at() : static_cast<std::size_t>(pin)});
        Step& moved = steps_.back().step;
        moved.waits.clear();
        if (pin >= 0) {
          moved.part = 0;
          moved.parts = 1;
          moved.cut = {};
        }
      }
      number_of(ref) = known.back();
      for (StepRef wait : step.waits) steps_[known.back()].waits.push_back(number_of(wait));
    }
  }

  /// Sorts the steps, as near to their old order as data and `before` allow. Vertices are steps,
  /// then nodes (all their steps have ended), then constraints (all of `a` have ended).
  void find_order() {
    const std::size_t nodes = steps_.size();
    const std::size_t lines = nodes + graph_.node_limit();
    const auto for_each_after = [&](std::size_t v, const auto& f) {
      if (v < nodes) {
        f(nodes + steps_[v].step.node.at());
      } else if (v < lines) {
        const NodeId id(static_cast<std::int64_t>(v - nodes));
        if (!graph_.alive(id)) return;
        for (ValueId output : graph_.node(id).outputs)
          if (output.valid())
            for (NodeId reader : graph_.value(output).consumers)
              for (std::size_t step : steps_of_[reader.at()]) f(step);
        for (std::size_t k : befores_of_[id.at()]) f(lines + k);
      } else if (constraints_[v - lines].kind == EditKind::Before) {
        for (NodeId node : constraints_[v - lines].b)
          for (std::size_t step : steps_of_[node.at()]) f(step);
      }
    };
    const std::size_t all = lines + constraints_.size();
    std::vector<std::size_t> missing(all, 0);
    for (std::size_t v = 0; v < all; ++v) for_each_after(v, [&](std::size_t a) { ++missing[a]; });
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    std::vector<std::size_t> passed;  // vertices that take no time
    const auto arrive = [&](std::size_t v) {
      if (v < nodes)
        ready.push(v);
      else
        passed.push_back(v);
    };
    const auto release = [&](std::size_t v) {
      if (--missing[v] == 0) arrive(v);
    };
    for (std::size_t v = 0; v < all; ++v)
      if (missing[v] == 0) arrive(v);
    while (!passed.empty() || !ready.empty()) {
      if (!passed.empty()) {
        const std::size_t v = passed.back();
        passed.pop_back();
        for_each_after(v, release);
        continue;
      }
      order_.push_back(ready.top());
      ready.pop();
      for_each_after(order_.back(), release);
    }
    require(order_.size() == steps_.size(), "constraints that were checked have no cycle");
    rank_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }

  void add_wait(Plan& plan, const Moving& step, StepRef wait) const {
    if (wait.stream == step.placed.stream) return;
    plan.streams[step.stream][static_cast<std::size_t>(step.placed.index)].waits.push_back(wait);
  }

  /// Keeps the waits that the scheduler wanted, unless the order has changed.
  void keep_waits(Plan& plan) const {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (std::size_t wait : steps_[i].waits)
        if (rank_[wait] < rank_[i]) add_wait(plan, steps_[i], steps_[wait].placed);
  }

  void add_before(const Constraint& constraint, Plan& plan) const {
    Frontier last;
    for (NodeId node : constraint.a)
      for (std::size_t step : steps_of_[node.at()]) extend(last, steps_[step].placed);
    for (NodeId node : constraint.b)
      for (std::size_t step : steps_of_[node.at()])
        for (StepRef wait : last) add_wait(plan, steps_[step], wait);
  }

  /// The steps of both sides, in the order in which they run.
  std::vector<std::size_t> steps_of_both(const Constraint& constraint) const {
    std::vector<std::size_t> found;
    for (const auto* side : {&constraint.a, &constraint.b})
      for (NodeId node : *side)
        found.insert(found.end(), steps_of_[node.at()].begin(), steps_of_[node.at()].end());
    std::sort(found.begin(), found.end(),
              [&](std::size_t x, std::size_t y) { return rank_[x] < rank_[y]; });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Lets each step of one side wait for those of the other that come before it.
  void keep_apart(const Constraint& constraint, Plan& plan) const {
    using Rows = std::vector<std::vector<std::size_t>>;  // steps by stream
    Rows a(streams_);
    Rows b(streams_);
    const auto contains = [](const std::vector<NodeId>& nodes, NodeId node) {
      return std::binary_search(nodes.begin(), nodes.end(), node);
    };
    const auto wait_for = [&](const Moving& step, const Rows& rows) {
      for (const auto& row : rows) {
        const auto others = std::views::reverse(row);
        const auto last = std::ranges::find_if(
            others, [&](std::size_t k) { return steps_[k].step.node != step.step.node; });
        if (last != others.end()) add_wait(plan, step, steps_[*last].placed);
      }
    };
    for (std::size_t number : steps_of_both(constraint)) {
      const Moving& step = steps_[number];
      const bool in_a = contains(constraint.a, step.step.node);
      const bool in_b = contains(constraint.b, step.step.node);
      if (in_a) wait_for(step, b);
      if (in_b) wait_for(step, a);
      if (in_a) a[step.stream].push_back(number);
      if (in_b) b[step.stream].push_back(number);
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  std::span<const Constraint> constraints_;
  std::size_t streams_ = 0;
  std::vector<Moving> steps_;
  std::vector<std::vector<std::size_t>> steps_of_;    // by node
  std::vector<std::vector<std::size_t>> befores_of_;  // constraints that have the node in `a`
  std::vector<std::size_t> order_;
  std::vector<std::size_t> rank_;  // of a step in order_
};

}  // namespace

Plan obeying(const Graph& graph, const Plan& plan, std::span<const Constraint> constraints) {
  return Rearranged(graph, plan, constraints).run();
}

}  // namespace braid
