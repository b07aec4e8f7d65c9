#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "graph/edit.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Operators that give the same first outputs however many are asked for. Exporters ask for all.
constexpr std::array<std::string_view, 3> kWithSpareOutputs = {"GRU", "LSTM", "RNN"};

/// How many outputs are left if unread ones at the end are not asked for.
std::size_t outputs_read(const Graph& graph, const Node& node) {
  std::size_t count = node.outputs.size();
  const auto is_read = [&](ValueId id) {
    return id.valid() && (!graph.value(id).consumers.empty() || graph.is_output(id));
  };
  while (count > 1 && !is_read(node.outputs[count - 1])) --count;
  return count;
}

/// The same node with fewer outputs in its place.
bool ask_for_less(Graph& graph, NodeId id) {
  Node node = graph.node(id);
  const std::vector<ValueId> old = std::exchange(node.outputs, {});
  const std::size_t count = outputs_read(graph, graph.node(id));
  if (count == old.size()) return false;
  std::vector<TensorType> types;
  for (std::size_t i = 0; i < count; ++i) {
    if (!old[i].valid()) return false;
    types.push_back(graph.value(old[i]).type);
  }
  GraphEdit edit("remove-dead");
  const std::vector<ValueId> made = edit.add_node(std::move(node), types);
  for (std::size_t i = 0; i < count; ++i) edit.replace(old[i], made[i]);
  graph.apply(edit);
  return true;
}

}  // namespace

std::int64_t remove_dead(Graph& graph, Allowance&) {
  auto changes = static_cast<std::int64_t>(graph.remove_dead());
  for (const NodeId id : graph.node_ids())
    if (std::ranges::count(kWithSpareOutputs, graph.node(id).op) > 0 && ask_for_less(graph, id))
      ++changes;
  return changes;
}

}  // namespace braid
