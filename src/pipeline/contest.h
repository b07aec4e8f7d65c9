#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "device/device.h"

namespace braid {

/// A Plan made runnable, and why it was taken.
struct Contender {
  Plan plan;
  std::unique_ptr<Program> program;
  std::string reason = {};
};

/// Runs two Plans of one graph by turns on the device, compares their 20th percentiles and keeps
/// the faster; the challenger must win by more than noise. Their outputs must be equal bit by bit:
/// throws Internal, naming the schedulers, if they are not.
Contender keep_faster(const Graph& lowered, Contender champion, Contender challenger,
                      const Progress& progress);

}  // namespace braid
