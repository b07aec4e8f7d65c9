#pragma once

#include <optional>
#include <string>

#include "contest.h"
#include "shared/published.h"

namespace braid::opara_table {

/// What Opara's authors published for an entry of the table; nothing where they did not.
struct Beside {
  std::optional<double> ratio;          ///< the sequential graph over it
  std::optional<double> memory_mb;      ///< peak of PyTorch's allocator, weights included
  std::optional<double> allocation_ms;  ///< of streams, in Python
};

/// What was published for the effect of the launch order alone: Opara's streams in depth-first
/// order over Opara.
std::optional<double> launch_order_beside(const bench::Published& published,
                                          const Contest& contest);

Beside beside(const bench::Published& published, const Contest& contest, const Entry& entry);

}  // namespace braid::opara_table
