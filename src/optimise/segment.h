#pragma once

#include <span>
#include <vector>

#include "optimise/running_costs.h"
#include "rewrite/node_places.h"

namespace braid {

/// A piece of a graph as a graph of its own. Values keep their names. What comes from outside is an
/// input, which knows its level there; constants stay constants and share their bytes; what is read
/// outside, or is an output, is an output.
///
/// Nodes, values, inputs and outputs are numbered in the order in which the outputs need them, and
/// outputs are ordered by what they are made of. So two pieces that are the same but for names get
/// the same ids, as far as equal outputs stand in the same order, and are searched alike.
struct Segment {
  Graph graph;
  std::vector<NodeId> nodes;  ///< by the segment's ids: where they are in the graph
};
Segment cut_out(const Graph& graph, const NodePlaces& places, std::span<const NodeId> nodes);

/// What the graph around a segment does with the time before and after it.
struct Surroundings {
  std::vector<double> arrivals_us = {};  ///< when each input is there, in the order of inputs
  std::vector<double> tails_us = {};     ///< the longest path behind each output
  double bypass_us = 0;                  ///< the longest path that does not touch the segment
};

/// The surroundings of a segment in a graph with these costs; from the first arrival on, and
/// without the shortest tail, so that they are alike where a network repeats itself.
Surroundings surroundings_of(const Segment& segment, const Graph& graph, const RunningCosts& costs);

/// The mixed cost of a segment: `alpha` times the longest path of the whole graph, as far as the
/// surroundings tell, plus the time of the segment's own nodes. An input or output about which the
/// surroundings say nothing has the time 0 before or behind it.
double mixed_cost_us(const Graph& segment, const NodeTime& time_of, const Surroundings& around,
                     double alpha);

}  // namespace braid
