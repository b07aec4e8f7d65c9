#pragma once

#include <string>

#include "contest.h"

namespace braid::autograph_table {

/// A model on a GPU whose kernels for grouped convolutions are as fast as any draw makes the whole
/// family. No measurement covers them, and much of what ResNeXt-50 gains hangs on how slow they
/// are.
struct FastGroups {
  std::string model;
  Setting setting;            ///< on the GPU as it is
  SimulatedTime before = {};  ///< the canonical graph there
  SimulatedTime same = {};    ///< the graph that was found on the GPU as it is
  SimulatedTime after = {};   ///< the graph that is found there
  Watched watched = {};
};

/// `found` is the graph that was found on the GPU as it is.
FastGroups fast_groups(const std::string& model, const Setting& setting,
                       const std::shared_ptr<const Canonical>& found);

nlohmann::ordered_json json_of(const FastGroups& row);

}  // namespace braid::autograph_table
