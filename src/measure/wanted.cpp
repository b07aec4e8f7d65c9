#include "measure/wanted.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/checked.h"
#include "cost/signature.h"
#include "graph/order.h"

namespace braid {
namespace {

constexpr std::int64_t kLeastBetween = std::int64_t{1} << 20;
/// More than the share of a last-level cache that a process keeps for itself on a shared machine:
/// what comes after it comes from memory.
constexpr std::int64_t kMostBetween = 64 * kLeastBetween;

std::int64_t bytes_of(const Graph& graph, const Node& node) {
  std::int64_t bytes = node.lowering.scratch_bytes;
  for (const auto* values : {&node.inputs, &node.outputs})
    for (const ValueId id : *values)
      if (id.valid()) bytes = checked_add(bytes, byte_size(graph.value(id).type));
  return bytes;
}

}  // namespace

std::vector<int> part_counts(int streams) {
  std::vector<int> counts;
  for (int parts = 2; parts <= streams; parts = parts < 4 ? parts + 1 : parts * 2)
    counts.push_back(parts);
  if (streams > 1 && counts.back() != streams) counts.push_back(streams);
  return counts;
}

std::vector<Wanted> wanted_signatures(const Graph& lowered, const CostModel& model, int streams) {
  std::vector<int> counts = part_counts(streams);
  counts.insert(counts.begin(), 1);
  std::vector<Wanted> all;
  std::unordered_map<std::string, std::size_t> places;
  for (const NodeId id : lowered.node_ids()) {
    const Node& node = lowered.node(id);
    if (is_view(node)) continue;
    for (const int parts : counts) {
      if (parts > 1 && !cut_into(lowered, id, parts)) continue;
      std::string text = signature(lowered, id, parts);
      const auto [at, is_new] = places.try_emplace(text, all.size());
      if (is_new)
        all.push_back({std::move(text), id, parts, 0, model.cost(lowered, id, parts).time_us,
                       bytes_of(lowered, node)});
      ++all[at->second].uses;
    }
  }
  return all;
}

std::int64_t touched_bytes(const Graph& lowered) {
  std::int64_t constants = 0;
  std::vector<std::size_t> uses_left(lowered.value_limit(), 0);
  for (const ValueId id : lowered.value_ids()) {
    uses_left[id.at()] = lowered.value(id).consumers.size();
    if (lowered.is_constant(id))
      constants = checked_add(constants, byte_size(lowered.value(id).type));
  }
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const NodeId id : topological_order(lowered)) {
    const Node& node = lowered.node(id);
    for (const ValueId output : node.outputs)
      if (output.valid()) live = checked_add(live, byte_size(lowered.value(output).type));
    most = std::max(most, live);
    for (const ValueId input : node.inputs) {
      if (!input.valid() || --uses_left[input.at()] > 0) continue;
      if (lowered.value(input).producer.valid()) live -= byte_size(lowered.value(input).type);
    }
    for (const ValueId output : node.outputs)
      if (output.valid() && lowered.value(output).consumers.empty())
        live -= byte_size(lowered.value(output).type);
  }
  return checked_add(constants, most);
}

std::int64_t bytes_between_uses(const Graph& lowered) {
  const std::int64_t touched = std::clamp(touched_bytes(lowered), kLeastBetween, kMostBetween);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(touched)));
}

}  // namespace braid
