#include "rewrite/canonical/rules.h"

namespace braid {

std::int64_t remove_dead(Graph& graph, Allowance&) {
  return static_cast<std::int64_t>(graph.remove_dead());
}

}  // namespace braid
