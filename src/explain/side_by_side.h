#pragma once

#include <optional>

#include "explain/subject.h"
#include "sim/interference.h"

namespace braid {

/// What two operators do to each other while they run side by side on a simulated GPU: of each, the
/// kernel that takes longest alone. Nothing elsewhere, or if one of them launches no kernel.
std::optional<sim::Interference> side_by_side(const Subject& subject, NodeId a, NodeId b);

}  // namespace braid
