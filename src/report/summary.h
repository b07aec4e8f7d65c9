#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace braid {

struct ValueSummary {
  std::string name;
  TensorType type;
};

/// What is in a graph, in numbers. Operators, depth and width count what `counts_as_operator` says;
/// `nodes` and `operator_counts` count everything.
struct GraphSummary {
  std::string name;
  int opset = 0;
  std::vector<ValueSummary> inputs;
  std::vector<ValueSummary> outputs;
  std::int64_t parameters = 0;    ///< learned numbers
  std::int64_t weight_bytes = 0;  ///< of all constants
  double macs = 0;
  double flops = 0;
  std::int64_t operators = 0;
  std::int64_t nodes = 0;
  std::int64_t depth = 0;
  std::int64_t width = 0;
  std::map<std::string, std::int64_t> operator_counts;
};

GraphSummary summarise(const Graph& graph);

}  // namespace braid
