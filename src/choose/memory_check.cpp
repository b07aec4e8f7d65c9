#include "choose/memory_check.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
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

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
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

std::int64_t input_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const ValueId id : graph.inputs()) bytes = checked_add(bytes, bytes_of(graph, id));
  return bytes;
}

std::int64_t output_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const GraphOutput& output : graph.outputs())
    bytes = checked_add(bytes, bytes_of(graph, output.value));
  return bytes;
}

void check_memory_together(const std::vector<MemoryNeed>& needs, const Quotas& quotas,
                           std::string_view advice) {
  if (quotas.memory_bytes > 0)
    return check_memory_together(needs, quotas.memory_bytes, "quota 'memory_bytes'", advice);
  const std::int64_t machine = memory_of_machine();
  const std::int64_t free = free_memory_bytes();
  check_memory_together(needs, free > 0 ? std::min(free, machine) : machine, "what is free",
                        advice);
}

void check_memory_together(const std::vector<MemoryNeed>& needs, std::int64_t limit,
                           std::string_view limit_name, std::string_view advice) {
  std::int64_t sum = 0;
  for (const MemoryNeed& need : needs) sum = checked_add(sum, need.bytes);
  if (sum <= limit) return;
  Error error(
      ErrorKind::Quota,
      fmt::format("{} of memory are needed at once, more than {} ({}); {}, or allow it with "
                  "--quota memory_bytes=NUMBER",
                  megabytes(sum), megabytes(limit), limit_name, advice));
  for (const MemoryNeed& need : needs)
    error.add_note(fmt::format("{}: {}", need.who, megabytes(need.bytes)));
  throw error;
}

}  // namespace braid
