#pragma once

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Proves that a Plan computes its graph whatever the timing: a step begins once the one before it
/// on its stream and all that it waits for have ended, and nothing else is known about when it
/// runs. Throws Model, saying which steps, which value, which bytes and what is missing, unless
///
/// - the Plan belongs to the graph (by hash), and every node stands in it once, or all parts of it
///   once, cut as its lowering allows;
/// - waits name steps of the Plan and form no cycle;
/// - every value that lives in the arena, and no other, has a place there; every step whose node
///   needs scratch has it; all lie inside the arena and are aligned; views lie where they say;
/// - a step begins after all steps that wrote its inputs have ended (read after write);
/// - between the first write of bytes for one value and the last use of it, no other step writes
///   them (write after read, write after write).
///
/// It is exact under this reading of a step: it may read any byte of its inputs and write or read
/// back any byte of its outputs (or its part of them) and scratch, at any moment from begin to end.
/// So two kinds of Plans are refused that might do no harm: a part that would be content with a
/// part of its inputs counts as reading all of them, and a value that is read through a view of a
/// slice counts as read whole. Waits that are implied by others are accepted.
///
/// Takes time near to linear in steps times streams. Throws Quota for Plans that are too large.
void verify(const Graph& graph, const Plan& plan);

/// The first thing that verify() looks at: throws Model if the Plan was made for another graph.
void check_belongs(const Graph& graph, const Plan& plan);

}  // namespace braid
