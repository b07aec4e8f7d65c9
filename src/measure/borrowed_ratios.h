#pragma once

#include <set>
#include <string>
#include <vector>

#include "cost/cost_table.h"
#include "cost/profile_cache.h"
#include "device/device.h"

namespace braid {

/// What the profile cache keeps about an operator that was measured, so that other models can tell
/// how far its model was off.
struct ModelledOperator {
  std::string op;
  std::string implementation;
  double modelled_us = 0;
};
std::string to_text(const ModelledOperator& about);

/// How far the model was off for operators that were measured on this device with its kernels of
/// today, in whatever model, but for those signatures.
std::vector<BorrowedRatio> borrowed_ratios(ProfileCache& cache, const Device& device,
                                           const std::set<std::string>& but_for);

}  // namespace braid
