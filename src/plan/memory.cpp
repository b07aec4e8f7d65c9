#include "plan/memory.h"

#include "plan/arena_items.h"

namespace braid {

void place(const Graph& graph, Plan& plan) {
  const HappensBefore order(graph, plan);
  const ArenaItems items(graph, plan, order);
  items.apply(pack(order, items.all()), plan);
}

}  // namespace braid
