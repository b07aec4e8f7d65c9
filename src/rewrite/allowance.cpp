#include "rewrite/allowance.h"

namespace braid {
namespace {

constexpr std::int64_t kFreeBytes = std::int64_t{64} << 20;
constexpr double kFreeWork = 4e9;

}  // namespace

bool Allowance::spend(std::int64_t more_bytes, double more_work) {
  if (more_bytes > bytes || more_work > work) return false;
  bytes -= more_bytes;
  work -= more_work;
  return true;
}

Allowance allowance_of(const Graph& graph) {
  std::int64_t held = 0;
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) held += byte_size(graph.value(id).type);
  return {.bytes = kFreeBytes + 2 * held, .work = kFreeWork + 8 * static_cast<double>(held)};
}

}  // namespace braid
