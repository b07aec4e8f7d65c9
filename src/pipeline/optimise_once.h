#pragma once

#include <memory>

#include "pipeline/stages.h"

namespace braid {

/// The stage *optimised* for those who open a model again and again: what `options.optimise` finds
/// for a graph on a device is kept beside the profile (cost/profile_cache.h), and the next time
/// only made again. Moves are kept, never a graph or weights; a rule must match wherever one of
/// them is made again, so that a damaged or forged cache may cost time, but not change an answer.
/// What cannot be made again is told through `options.costs.warn` and searched anew.
///
/// Throws Cancelled if `progress` says so, and Usage if edits or a Plan are given: they name
/// operators of the graph as it is.
std::shared_ptr<const Canonical> optimised_once(const std::shared_ptr<const Canonical>& model,
                                                const Device& device,
                                                const PipelineOptions& options);

}  // namespace braid
