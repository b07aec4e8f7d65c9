#include <queue>
#include <tuple>

#include "base/checked.h"
#include "graph/order.h"
#include "plan/one_stream.h"

namespace braid {
namespace {

class ThriftyOrder {
 public:
  explicit ThriftyOrder(const Graph& graph)
      : graph_(graph),
        rank_(graph.node_limit()),
        missing_(graph.node_limit()),
        uses_(graph.value_limit()),
        growth_(graph.node_limit(), 0),
        done_(graph.node_limit(), false) {
    std::int32_t rank = 0;
    for (NodeId id : topological_order(graph)) rank_[id.at()] = rank++;
    for (ValueId value : graph.value_ids()) uses_[value.at()] = graph.value(value).consumers.size();
    for (NodeId id : graph.node_ids())
      for (ValueId input : graph.node(id).inputs)
        if (made(input)) ++missing_[id.at()];
    for (NodeId id : graph.node_ids())
      if (missing_[id.at()] == 0) offer(id);
  }

  std::vector<NodeId> run() {
    std::vector<NodeId> order;
    while (!ready_.empty()) {
      const auto [growth, rank, id] = ready_.top();
      ready_.pop();
      if (done_[id.at()] || growth != growth_[id.at()]) continue;
      done_[id.at()] = true;
      order.push_back(id);
      finish(id);
    }
    return order;
  }

 private:
  using Entry = std::tuple<std::int64_t, std::int32_t, NodeId>;  // growth, rank

  bool made(ValueId value) const { return value.valid() && graph_.value(value).producer.valid(); }
  std::int64_t bytes(ValueId value) const {
    return lives_in_arena(graph_, value) ? byte_size(graph_.value(value).type) : 0;
  }

  /// The bytes by which memory in use grows if the node runs next.
  std::int64_t growth_of(NodeId id) {
    std::int64_t growth = 0;
    for (ValueId output : graph_.node(id).outputs)
      if (output.valid()) growth = checked_add(growth, bytes(output));
    for (ValueId input : graph_.node(id).inputs)
      if (made(input) && uses_[input.at()] == 1) growth -= bytes(input);
    return growth;
  }

  void offer(NodeId id) {
    growth_[id.at()] = growth_of(id);
    ready_.push({growth_[id.at()], rank_[id.at()], id});
  }

  void finish(NodeId id) {
    for (ValueId input : graph_.node(id).inputs)
      if (made(input) && --uses_[input.at()] == 1)
        for (NodeId reader : graph_.value(input).consumers)
          if (!done_[reader.at()] && missing_[reader.at()] == 0) offer(reader);
    for (ValueId output : graph_.node(id).outputs)
      if (output.valid())
        for (NodeId reader : graph_.value(output).consumers)
          if (--missing_[reader.at()] == 0) offer(reader);
  }

  const Graph& graph_;
  std::vector<std::int32_t> rank_;    // in topological order
  std::vector<std::size_t> missing_;  // inputs of a node that are not there yet
  std::vector<std::size_t> uses_;     // of a value that are still to come
  std::vector<std::int64_t> growth_;  // of a node, as last offered
  std::vector<bool> done_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
};

}  // namespace

std::vector<NodeId> thrifty_order(const Graph& graph) { return ThriftyOrder(graph).run(); }

}  // namespace braid
