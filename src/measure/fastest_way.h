#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "measure/profile.h"
#include "measure/wanted.h"

namespace braid {

/// Ranks the ways to run each operator: those of a table of costs, if one is given; else by how
/// fast they were on this machine: now, if it may be measured, or on an earlier day, by the profile
/// cache. An operator that nothing is known of stays as it is, and so does one for which another
/// way is not faster beyond doubt. The ways of one operator are measured by turns before the next
/// one is looked at, so that the weights of one are made ready at a time. Equal operators get equal
/// answers. The device outlives it.
class FastestWay {
 public:
  /// For a graph like this, which tells how much memory a run touches between two uses.
  FastestWay(const Graph& graph, const Device& device, ProfileOptions options, bool exact);

  /// Throws Cancelled if the options' `progress` says so.
  std::vector<std::string> operator()(const WayQuestion& question);

 private:
  std::vector<std::string> measured(const WayQuestion& question) const;
  std::vector<std::string> given(const WayQuestion& question) const;
  std::vector<Wanted> wanted_of(const Graph& ways) const;

  const Device& device_;
  const ProfileOptions options_;
  std::int64_t between_bytes_;
  std::string conditions_;
  std::optional<CostTable> given_;  // costs: the ways that they are of
  std::optional<ProfileCache> cache_;
  std::map<std::string, std::vector<std::string>> known_;  // by the signature in the first way
};

}  // namespace braid
