#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/device.h"
#include "optimise/moves.h"

namespace braid {

/// Makes moves again on a canonical graph, as the stage *optimised* makes them. Throws Model if one
/// matches nothing there, Quota if they go too far.
Graph replayed(const Graph& canonical, const std::vector<Round>& rounds, const Device& device);

/// The rule that made each node of the graph that replayed() gives, as far as one did: the last, if
/// several had a hand in it.
std::map<NodeId, std::string> rules_of_nodes(const Graph& canonical,
                                             const std::vector<Round>& rounds,
                                             const Device& device);

}  // namespace braid
