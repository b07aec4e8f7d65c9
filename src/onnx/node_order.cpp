#include "onnx/node_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

using Names = std::unordered_set<std::string_view>;

Names defined_in(const proto::GraphProto& graph) {
  Names names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const auto& node : graph.node())
    for (const auto& output : node.output()) names.insert(output);
  return names;
}

/// Calls `read` with every name that a node takes from outside: its inputs, and what graphs in its
/// attributes capture.
class Reads {
 public:
  template <class Read>
  void of(const proto::NodeProto& node, Read&& read) {
    for (const auto& input : node.input()) read(std::string_view(input));
    pending_.clear();
    push_graphs(node, -1);
    levels_.clear();
    while (!pending_.empty()) {
      const auto [graph, parent] = pending_.back();
      pending_.pop_back();
      const auto level = static_cast<int>(levels_.size());
      levels_.push_back({defined_in(*graph), parent});
      for (const auto& inner : graph->node()) {
        for (const auto& input : inner.input())
          if (is_captured(input, level)) read(std::string_view(input));
        push_graphs(inner, level);
      }
      for (const auto& output : graph->output())
        if (is_captured(output.name(), level)) read(std::string_view(output.name()));
    }
  }

 private:
  void push_graphs(const proto::NodeProto& node, int level) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) pending_.push_back({&attribute.g(), level});
      for (const auto& graph : attribute.graphs()) pending_.push_back({&graph, level});
    }
  }

  bool is_captured(std::string_view name, int level) const {
    for (; level >= 0; level = levels_[static_cast<std::size_t>(level)].parent)
      if (levels_[static_cast<std::size_t>(level)].names.contains(name)) return false;
    return true;
  }

  struct Pending {
    const proto::GraphProto* graph;
    int parent;
  };
  struct Level {
    Names names;
    int parent;
  };
  std::vector<Pending> pending_;
  std::vector<Level> levels_;
};

/// For each node the nodes that wait for it, and how many values it waits for itself.
struct Dependencies {
  std::vector<std::vector<int>> followers;
  std::vector<int> waiting_for;
  bool in_file_order = true;
};

Dependencies dependencies_of(const NodeList& nodes) {
  std::unordered_map<std::string_view, int> producer;
  for (int i = 0; i < nodes.size(); ++i)
    for (const auto& output : nodes[i].output())
      if (!output.empty()) producer.try_emplace(output, i);
  Dependencies result;
  result.followers.resize(static_cast<std::size_t>(nodes.size()));
  result.waiting_for.resize(static_cast<std::size_t>(nodes.size()));
  Reads reads;
  for (int i = 0; i < nodes.size(); ++i) {
    reads.of(nodes[i], [&](std::string_view name) {
      const auto found = producer.find(name);
      if (found == producer.end()) return;
      result.followers[static_cast<std::size_t>(found->second)].push_back(i);
      ++result.waiting_for[static_cast<std::size_t>(i)];
      if (found->second >= i) result.in_file_order = false;
    });
  }
  return result;
}

}  // namespace

std::string describe(const proto::NodeProto& node) {
  const std::string& label =
      node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  return fmt::format("{} ({})", quote(label), printable(node.op_type()));
}

std::vector<int> execution_order(const NodeList& nodes) {
  Dependencies dependencies = dependencies_of(nodes);
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(nodes.size()));
  if (dependencies.in_file_order) {
    for (int i = 0; i < nodes.size(); ++i) order.push_back(i);
    return order;
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  auto& waiting_for = dependencies.waiting_for;
  for (int i = 0; i < nodes.size(); ++i)
    if (waiting_for[static_cast<std::size_t>(i)] == 0) ready.push(i);
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (int follower : dependencies.followers[static_cast<std::size_t>(next)])
      if (--waiting_for[static_cast<std::size_t>(follower)] == 0) ready.push(follower);
  }
  if (order.size() == static_cast<std::size_t>(nodes.size())) return order;
  const auto stuck =
      std::find_if(waiting_for.begin(), waiting_for.end(), [](int n) { return n > 0; });
  raise(ErrorKind::Model,
        fmt::format("the nodes form a cycle; one of those that cannot run is {}",
                    describe(nodes[static_cast<int>(stuck - waiting_for.begin())])));
}

}  // namespace braid::onnx
