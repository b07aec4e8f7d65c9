#include "optimise/running_costs.h"

#include <algorithm>

namespace braid {
namespace {

std::vector<NodeId> producers_of(const Graph& graph, NodeId id) {
  std::vector<NodeId> producers;
  for (const ValueId input : graph.node(id).inputs)
    if (input.valid() && graph.value(input).producer.valid())
      producers.push_back(graph.value(input).producer);
  return producers;
}

std::vector<NodeId> readers_of(const Graph& graph, NodeId id) {
  std::vector<NodeId> readers;
  for (const ValueId output : graph.node(id).outputs) {
    if (!output.valid()) continue;
    const auto& consumers = graph.value(output).consumers;
    readers.insert(readers.end(), consumers.begin(), consumers.end());
  }
  return readers;
}

}  // namespace

RunningCosts::RunningCosts(const Graph& graph, NodeTime time_of) : time_of_(std::move(time_of)) {
  follow(graph, graph.node_ids());
}

void RunningCosts::follow(const Graph& graph) {
  resize(graph);
  std::vector<NodeId> changed;
  for (std::size_t i = 0; i < graph.node_limit(); ++i) {
    const NodeId id(static_cast<std::int64_t>(i));
    const bool is_there = graph.alive(id);
    if (is_there != seen_[i] || (is_there && producers_of(graph, id) != producers_[i]))
      changed.push_back(id);
  }
  follow(graph, changed);
}

void RunningCosts::follow(const Graph& graph, std::span<const NodeId> changed) {
  resize(graph);
  std::vector<NodeId> down;
  std::vector<NodeId> up;
  for (const NodeId id : changed) {
    // What a node read before it was changed loses a reader.
    const auto& before = producers_[id.at()];
    up.insert(up.end(), before.begin(), before.end());
    if (!graph.alive(id)) {
      forget(id);
      continue;
    }
    times_[id.at()] = time_of_(graph, id);
    seen_[id.at()] = true;
    producers_[id.at()] = producers_of(graph, id);
    down.push_back(id);
    up.push_back(id);
    const auto& now = producers_[id.at()];
    up.insert(up.end(), now.begin(), now.end());
  }
  std::erase_if(up, [&](NodeId id) { return !graph.alive(id); });
  measure_cone(graph, down, Direction::Down);
  measure_cone(graph, up, Direction::Up);
  add_up();
}

double RunningCosts::arrival_us(const Graph& graph, ValueId value) const {
  const NodeId producer = graph.value(value).producer;
  return producer.valid() ? heads_[producer.at()] + times_[producer.at()] : 0;
}

void RunningCosts::resize(const Graph& graph) {
  const std::size_t limit = graph.node_limit();
  times_.resize(limit, 0);
  heads_.resize(limit, 0);
  tails_.resize(limit, 0);
  producers_.resize(limit);
  seen_.resize(limit, false);
  waiting_.resize(limit, 0);
  in_cone_.resize(limit, false);
}

void RunningCosts::forget(NodeId id) {
  times_[id.at()] = heads_[id.at()] = tails_[id.at()] = 0;
  producers_[id.at()].clear();
  seen_[id.at()] = false;
}

std::vector<NodeId> RunningCosts::next(const Graph& graph, NodeId id, Direction direction) const {
  return direction == Direction::Down ? readers_of(graph, id) : producers_[id.at()];
}

void RunningCosts::measure(const Graph& graph, NodeId id, Direction direction) {
  double longest = 0;
  if (direction == Direction::Down) {
    for (const NodeId producer : producers_[id.at()])
      longest = std::max(longest, heads_[producer.at()] + times_[producer.at()]);
    heads_[id.at()] = longest;
  } else {
    for (const NodeId reader : readers_of(graph, id))
      longest = std::max(longest, times_[reader.at()] + tails_[reader.at()]);
    tails_[id.at()] = longest;
  }
}

// A node of the cone is measured when all nodes of the cone that it depends on are.
void RunningCosts::measure_cone(const Graph& graph, const std::vector<NodeId>& seeds,
                                Direction direction) {
  std::vector<NodeId> cone;
  const auto enter = [&](NodeId id) {
    if (in_cone_[id.at()]) return;
    in_cone_[id.at()] = true;
    cone.push_back(id);
  };
  for (const NodeId id : seeds) enter(id);
  // It grows meanwhile.
  for (std::size_t i = 0; i < cone.size();)
    for (const NodeId id : next(graph, cone[i++], direction)) {
      ++waiting_[id.at()];
      enter(id);
    }
  std::vector<NodeId> ready;
  for (const NodeId id : cone)
    if (waiting_[id.at()] == 0) ready.push_back(id);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    measure(graph, ready[i], direction);
    for (const NodeId id : next(graph, ready[i], direction))
      if (--waiting_[id.at()] == 0) ready.push_back(id);
  }
  for (const NodeId id : cone) in_cone_[id.at()] = false;
}

// Sums are made in the order of ids, not by differences, so that errors do not gather.
void RunningCosts::add_up() {
  sum_us_ = critical_path_us_ = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    sum_us_ += times_[i];
    critical_path_us_ = std::max(critical_path_us_, heads_[i] + times_[i]);
  }
}

}  // namespace braid
