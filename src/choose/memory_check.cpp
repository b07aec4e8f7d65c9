#include "choose/memory_check.h"

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"

namespace braid {

void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas) {
  const std::int64_t limit = memory_limit(quotas);
  std::int64_t needed = plan.arena_bytes;
  std::int64_t largest = -1;
  ValueId widest;
  for (ValueId id : graph.value_ids()) {
    const std::int64_t bytes = byte_size(graph.value(id).type);
    if (graph.is_input(id) || graph.is_output(id)) needed = checked_add(needed, bytes);
    if (bytes > largest && !graph.is_constant(id)) {
      largest = bytes;
      widest = id;
    }
  }
  if (needed <= limit) return;
  const Value& value = graph.value(widest);
  Error error(ErrorKind::Quota,
              fmt::format("the model needs {} bytes of memory, more than {} (quota "
                          "'memory_bytes'); its largest value is {}, {}",
                          needed, limit, quote(value.name), to_string(value.type)));
  if (value.producer.valid()) error.add_note("made by " + describe(graph, value.producer));
  throw error;
}

}  // namespace braid
