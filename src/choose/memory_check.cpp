#include "choose/memory_check.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "plan/view.h"

namespace braid {

namespace {

std::int64_t bytes_of(const Graph& graph, ValueId id) { return byte_size(graph.value(id).type); }

std::int64_t bytes_beside_arena(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const ValueId id : graph.value_ids())
    if (graph.is_input(id) || graph.is_output(id)) bytes = checked_add(bytes, bytes_of(graph, id));
  return bytes;
}

/// What a node has in the arena while it runs.
std::int64_t operand_bytes(const Graph& graph, const Node& node) {
  std::set<ValueId> operands(node.inputs.begin(), node.inputs.end());
  operands.insert(node.outputs.begin(), node.outputs.end());
  std::int64_t bytes = node.lowering.scratch_bytes;
  for (const ValueId id : operands)
    if (id.valid() && lives_in_arena(graph, id)) bytes = checked_add(bytes, bytes_of(graph, id));
  return bytes;
}

void check(const Graph& graph, std::int64_t needed, std::string_view at_least,
           const Quotas& quotas) {
  const std::int64_t limit = memory_limit(quotas);
  if (needed <= limit) return;
  ValueId widest;
  for (const ValueId id : graph.value_ids())
    if (!graph.is_constant(id) &&
        (!widest.valid() || bytes_of(graph, id) > bytes_of(graph, widest)))
      widest = id;
  const Value& value = graph.value(widest);
  Error error(ErrorKind::Quota,
              fmt::format("the model needs {}{} bytes of memory, more than {} (quota "
                          "'memory_bytes'); its largest value is {}, {}",
                          at_least, needed, limit, quote(value.name), to_string(value.type)));
  if (value.producer.valid()) error.add_note("made by " + describe(graph, value.producer));
  throw error;
}

}  // namespace

void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas) {
  check(graph, checked_add(plan.arena_bytes, bytes_beside_arena(graph)), "", quotas);
}

void check_least_memory(const Graph& lowered, const Quotas& quotas) {
  std::int64_t most = 0;
  for (const NodeId id : lowered.node_ids())
    if (const Node& node = lowered.node(id); !is_view(node))
      most = std::max(most, operand_bytes(lowered, node));
  check(lowered, checked_add(most, bytes_beside_arena(lowered)), "at least ", quotas);
}

}  // namespace braid
