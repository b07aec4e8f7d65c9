#pragma once

#include "device/cpu/kernels/kernel.h"
#include "ops/conv.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {

/// The names of the implementations: tiles of 4 x 4 and of 2 x 2 outputs.
inline constexpr std::string_view kWinograd4 = "winograd4";
inline constexpr std::string_view kWinograd2 = "winograd2";

/// A convolution of channels-last images by a constant 3 x 3 kernel with stride 1, by Winograd's
/// minimal filtering in tiles of `outputs` x `outputs` results (2 or 4). Rounding errors are larger
/// than those of plain sums. Groups of channels go one after another.
///
/// The weights are finite. Results that come out as no finite number are made again by plain sums:
/// a transform spreads an infinity over its whole tile. Every element has the same bits whichever
/// part it belongs to.
Way prepare_winograd(const OpCall& call, const ConvGeometry& conv, std::int64_t outputs);

}  // namespace braid::cpu
