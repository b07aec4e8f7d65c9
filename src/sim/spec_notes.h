#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/gpu_spec.h"

namespace braid::sim {

/// What someone who changed a copy of a spec should know: figures that belong together and of which
/// only some were changed, and figures that count as others than the file says. `known` are the
/// specs that it may be a copy of; it is taken for one of that with which it shares most kernel
/// families.
std::vector<std::string> spec_notes(const GpuSpec& spec, std::span<const GpuSpec> known);

}  // namespace braid::sim
