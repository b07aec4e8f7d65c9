#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "ops/catalog.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Larger constants are merged only if they share their bytes, so that weights need not be read.
constexpr std::size_t kLargestCompared = std::size_t{64} << 10;

/// Equal for equal constants, and for few others: of most only the ends are looked at.
Hash128 key_of(const Tensor& constant) {
  constexpr std::size_t end = 64;
  Hasher hasher;
  hasher.add(constant.element());
  for (std::int64_t d : constant.dims()) hasher.add(d);
  hasher.add(constant.dims().size());
  const auto bytes = constant.bytes();
  if (bytes.size() > kLargestCompared) {
    hasher.add(reinterpret_cast<std::uintptr_t>(bytes.data()));
  } else {
    hasher.add(bytes.first(std::min(end, bytes.size())));
    hasher.add(bytes.last(std::min(end, bytes.size())));
  }
  return hasher.finish();
}

bool is_commutative(const Node& node) {
  const OpDef* def = find_op(node.op);
  return node.inputs.size() == 2 && def != nullptr && def->commutes;
}

std::vector<ValueId> compared_inputs(const Node& node) {
  std::vector<ValueId> inputs = node.inputs;
  if (is_commutative(node)) std::sort(inputs.begin(), inputs.end());
  return inputs;
}

Hash128 key_of(const Node& node) {
  Hasher hasher;
  hasher.add(node.op);
  add_to_hash(hasher, node.attributes);
  for (ValueId input : compared_inputs(node)) hasher.add(input.index);
  hasher.add(node.inputs.size());
  for (ValueId output : node.outputs) hasher.add(output.valid());
  return hasher.finish();
}

bool same(const Graph& graph, const Node& a, const Node& b) {
  if (a.op != b.op || a.attributes != b.attributes || a.outputs.size() != b.outputs.size() ||
      compared_inputs(a) != compared_inputs(b))
    return false;
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    if (a.outputs[i].valid() != b.outputs[i].valid()) return false;
    if (a.outputs[i].valid() && graph.value(a.outputs[i]).type != graph.value(b.outputs[i]).type)
      return false;
  }
  return true;
}

std::int64_t merge_constants(Graph& graph) {
  std::int64_t changes = 0;
  std::unordered_multimap<Hash128, ValueId> kept;
  for (ValueId id : graph.value_ids()) {
    if (!graph.is_constant(id) || graph.value(id).constant.is_promised()) continue;
    const Tensor& constant = graph.value(id).constant;
    const Hash128 key = key_of(constant);
    const auto [begin, end] = kept.equal_range(key);
    const auto same = std::find_if(begin, end, [&](const auto& entry) {
      return identical(graph.value(entry.second).constant, constant);
    });
    if (same == end) {
      kept.emplace(key, id);
      continue;
    }
    GraphEdit edit("merge-common-subexpressions");
    edit.replace(id, same->second);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace

// In the graph's own order the node that stays stands before the users of the one that goes, so
// no edit disturbs that order.
std::int64_t merge_common_subexpressions(Graph& graph, Allowance&) {
  std::int64_t changes = merge_constants(graph);
  std::unordered_map<Hash128, NodeId> first;
  for (NodeId id : graph.nodes_in_order()) {
    const Node& node = graph.node(id);
    const auto [entry, is_new] = first.emplace(key_of(node), id);
    if (is_new) continue;
    const Node& kept = graph.node(entry->second);
    if (!same(graph, node, kept)) continue;
    GraphEdit edit("merge-common-subexpressions");
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) edit.replace(node.outputs[i], kept.outputs[i]);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
