#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Runs a small Plan in every order that its streams and waits allow, and tells whether some step
/// ever computes something else than it should. Shares nothing with verify() but the definition of
/// a Plan.
///
/// Memory holds one token per four bytes. A step is two events. When it begins it reads its inputs
/// and writes unfinished tokens to its outputs and scratch; when it ends it reads inputs, outputs
/// and scratch again, and writes its results, which depend on all that it read. So anything that
/// another step writes to these bytes in between, or between write and read, shows. A view must lie
/// where its inputs' elements lie, whether it is read or not.
enum class Harm { None, WrongResult, Deadlock };

Harm harm_of(const Graph& graph, const Plan& plan);

}  // namespace braid
