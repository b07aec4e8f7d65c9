#pragma once

#include "graph/graph.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/plan.h"

namespace braid {

/// The part of verify() that looks at shared bytes. A step that writes a value, or its part of one,
/// becomes tenant of these bytes until the last step that uses the value has ended; scratch is let
/// for one step. Of two tenants of a byte one must have gone before the other comes.
///
/// "Has gone before" is transitive, so it is enough that every tenant has gone before the *next*
/// one of each byte comes: the steps are visited in a possible order, and a map from bytes to their
/// present tenants is kept.
void check_tenancies(const Graph& graph, const Plan& plan, const HappensBefore& order,
                     const Accesses& accesses);

}  // namespace braid
