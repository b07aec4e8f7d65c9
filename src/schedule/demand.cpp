#include "schedule/demand.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "ops/call.h"
#include "ops/catalog.h"

namespace braid {
namespace {

// Limits of one multiprocessor of a usual GPU.
constexpr double kThreads = 2048;
constexpr double kRegisters = 65'536;
constexpr double kSharedBytes = 100 * 1024;
constexpr double kBlocks = 32;
constexpr double kSharedBytesOfBlock = 48 * 1024;

bool has_footprint(const Node& node) { return find_op(node.op) != nullptr && !is_view(node); }

/// The operators that Opara's code takes for memory-bound, by ONNX's names.
constexpr std::array<std::string_view, 31> kMemoryWords = {
    "add",        "cast",    "ceil",    "clip",      "concat",     "exp",       "floor",
    "log",        "gelu",    "neg",     "pow",       "reciprocal", "relu",      "sigmoid",
    "slice",      "sub",     "tanh",    "transpose", "unsqueeze",  "view",      "averagepool",
    "maxpool",    "reshape", "flatten", "dropout",   "batchnorm",  "layernorm", "instancenorm",
    "contiguous", "ones",    "to"};

}  // namespace

Demand demand_of(const Graph& graph, NodeId id, const Cost& cost) {
  Demand demand;
  demand.memory_bound = cost.bandwidth_share > cost.compute_share;
  demand.bandwidth_share = cost.bandwidth_share;
  if (cost.launch.blocks == 0 && !has_footprint(graph.node(id))) return demand;
  const Footprint launch = cost.launch.blocks > 0 ? cost.launch : footprint(graph, id);
  const double threads = launch.threads / kThreads;
  const double registers = static_cast<double>(launch.threads) * launch.registers / kRegisters;
  const double shared = static_cast<double>(launch.shared_bytes) / kSharedBytes;
  const double each = std::max({threads, registers, shared, 1 / kBlocks});
  demand.fills = static_cast<double>(launch.blocks) * each;
  return demand;
}

Demand published_demand_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string name = node.op;
  for (char& letter : name)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  Demand demand;
  demand.memory_bound =
      std::any_of(kMemoryWords.begin(), kMemoryWords.end(),
                  [&](std::string_view word) { return name.find(word) != std::string::npos; });
  if (has_footprint(node))
    demand.fills = static_cast<double>(footprint(graph, id).shared_bytes) / kSharedBytesOfBlock;
  return demand;
}

}  // namespace braid
