#include "sim/known_ways.h"

#include <algorithm>

namespace braid::sim {
namespace {

/// More are forgotten: nobody's models have so many operators that differ.
constexpr std::size_t kMostKnown = 1 << 16;

/// Constants that are no longer than this may be axes or shapes.
constexpr std::int64_t kShortList = 16;

void add(Hasher& hasher, const TensorType& type) {
  hasher.add(type.element);
  hasher.add(type.dims.size());
  for (const std::int64_t dim : type.dims) hasher.add(dim);
}

void add(Hasher& hasher, const Value& input) {
  add(hasher, input.type);
  const Tensor& constant = input.constant;
  hasher.add(constant.defined());
  if (!constant.defined() || constant.elements() > kShortList) return;
  if (constant.element() == ElementType::I64 || constant.element() == ElementType::I32)
    hasher.add(constant.bytes());
}

/// All that the kernels of a node depend on. Two inputs that are one value count, for a constant is
/// read once.
Hash128 key_of(const Graph& graph, NodeId id, bool warm_weights, int draw) {
  const Node& node = graph.node(id);
  Hasher hasher;
  hasher.add(std::string_view(node.op));
  add_to_hash(hasher, node.attributes);
  hasher.add(warm_weights);
  hasher.add(draw);
  for (const ValueId input : node.inputs) {
    hasher.add(std::find(node.inputs.begin(), node.inputs.end(), input) - node.inputs.begin());
    if (input.valid()) add(hasher, graph.value(input));
  }
  for (const ValueId output : node.outputs) {
    hasher.add(output.valid());
    if (output.valid()) add(hasher, graph.value(output).type);
  }
  return hasher.finish();
}

}  // namespace

std::shared_ptr<const Ways> KnownWays::of(const Graph& graph, NodeId node, bool warm_weights,
                                          int draw) {
  static const auto none = std::make_shared<const Ways>(Ways{{}});
  if (launches_nothing(graph.node(node))) return none;
  const Hash128 key = key_of(graph, node, warm_weights, draw);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  KernelOptions options = options_;
  options.warm_weights = warm_weights;
  options.draw = draw;
  auto ways = std::make_shared<const Ways>(ways_of(gpu_, graph, node, options));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  return known_.emplace(key, std::move(ways)).first->second;
}

}  // namespace braid::sim
