#pragma once

#include <map>
#include <string>

#include "device/device.h"

namespace braid::cli {

/// How many operators of a lowered graph are run in ways that save operations at the price of
/// digits, by implementation: {"winograd4": 13}.
using InexactWays = std::map<std::string, int>;
InexactWays inexact_ways(const Graph& lowered, const Device& device);

/// The same in a line for people; empty if there is none.
std::string text_of(const InexactWays& ways);

}  // namespace braid::cli
