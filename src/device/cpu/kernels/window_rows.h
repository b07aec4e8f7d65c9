#pragma once

#include <vector>

#include "device/cpu/kernels/panel_product_call.h"
#include "ops/shared/window.h"
#include "plan/plan.h"

namespace braid::cpu {

/// The taps of one axis that read no padding at an output.
CutRange taps_at(const Window& window, std::size_t axis, std::int64_t output);

/// Output pixels of a channels-last image grouped by the taps that read no padding for them;
/// nothing if a pixel has no such tap.
std::vector<PanelRows> rows_by_taps(const Window& spatial, std::int64_t channels);

/// Whether there are not too many pieces of rows to list them, nor too far ones.
bool can_list_rows(const Window& window, std::int64_t channels);

}  // namespace braid::cpu
