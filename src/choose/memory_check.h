#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "graph/quotas.h"
#include "plan/plan.h"

namespace braid {

/// Throws Quota, naming the largest value, if the arena and the inputs and outputs that live beside
/// it need more memory than the quotas allow.
void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas);

/// The same for the least that any Plan of a lowered graph needs: inputs and outputs, and beside
/// them what one operator reads and writes. So that nothing is measured of a model that cannot run.
void check_least_memory(const Graph& lowered, const Quotas& quotas);

/// Something that takes memory at the same time as others.
struct MemoryNeed {
  std::string who;
  std::int64_t bytes = 0;
};

/// Bytes of the inputs of a graph, and of its outputs.
std::int64_t input_bytes(const Graph& graph);
std::int64_t output_bytes(const Graph& graph);

/// Throws Quota, with the sum and a note of each, if all of them together need more memory than is
/// free now, or than the quotas allow if they say so. `advice` tells what would need less. Called
/// before any of it is taken.
void check_memory_together(const std::vector<MemoryNeed>& needs, const Quotas& quotas,
                           std::string_view advice);
/// The same by the memory that there is.
void check_memory_together(const std::vector<MemoryNeed>& needs, std::int64_t limit,
                           std::string_view limit_name, std::string_view advice);

}  // namespace braid
