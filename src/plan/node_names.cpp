#include "plan/node_names.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "graph/order.h"

namespace braid {
namespace {

constexpr std::size_t kMostCompared = std::size_t{1} << 28;  // names with patterns

/// The lowered node that each original one is part of; invalid: none, or several.
std::vector<NodeId> carriers(const Graph& lowered, const std::vector<OriginalNode>& original) {
  std::vector<NodeId> carriers(original.size());
  for (std::size_t i = original.size(); i-- > 0;) {
    for (const std::string& output : original[i].outputs) {
      const ValueId value = lowered.find(output);
      if (value.valid() && lowered.value(value).producer.valid())
        carriers[i] = lowered.value(value).producer;
    }
    if (carriers[i].valid() || original[i].readers.empty()) continue;
    const auto carrier_of = [&](std::int32_t reader) {
      return carriers[static_cast<std::size_t>(reader)];
    };
    const NodeId first = carrier_of(original[i].readers[0]);
    const bool same = std::ranges::all_of(
        original[i].readers, [&](std::int32_t reader) { return carrier_of(reader) == first; });
    if (same) carriers[i] = first;
  }
  return carriers;
}

std::vector<NodeId> distinct(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

std::vector<OriginalNode> original_nodes(const Graph& graph) {
  const std::vector<NodeId> order = graph.nodes_in_order();
  std::vector<std::int32_t> index(graph.node_limit(), -1);
  for (std::size_t i = 0; i < order.size(); ++i)
    index[order[i].at()] = static_cast<std::int32_t>(i);
  std::vector<OriginalNode> nodes;
  for (NodeId id : order) {
    OriginalNode& node = nodes.emplace_back();
    node.name = graph.node(id).name;
    for (ValueId output : graph.node(id).outputs) {
      if (!output.valid()) continue;
      node.outputs.push_back(graph.value(output).name);
      for (NodeId reader : graph.value(output).consumers)
        node.readers.push_back(index[reader.at()]);
    }
  }
  return nodes;
}

NodeNames::NodeNames(const Graph& lowered, const std::vector<OriginalNode>& original) {
  for (NodeId id : lowered.node_ids()) {
    add(lowered.node(id).name, id);
    for (ValueId output : lowered.node(id).outputs)
      if (output.valid()) add(lowered.value(output).name, id);
  }
  const std::vector<NodeId> parts = carriers(lowered, original);
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (!parts[i].valid()) continue;
    add(original[i].name, parts[i]);
    for (const std::string& output : original[i].outputs) add(output, parts[i]);
  }
}

void NodeNames::add(const std::string& name, NodeId node) {
  if (name.empty()) return;
  const auto [place, fresh] = nodes_.try_emplace(name);
  if (fresh) names_.push_back(name);
  place->second.push_back(node);
}

std::vector<NodeId> NodeNames::called(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? std::vector<NodeId>() : distinct(found->second);
}

std::vector<NodeId> NodeNames::find(const NodePattern& pattern) const {
  std::vector<NodeId> found;
  if (!pattern.glob) {
    found = called(pattern.text);
    if (!found.empty()) return found;
    const std::string meant = nearest(pattern.text, names_);
    raise(ErrorKind::Model,
          fmt::format("the graph has no node {}; {}`braid plan MODEL --steps` lists them",
                      quote(pattern.text),
                      meant.empty() ? "" : fmt::format("is it {}? ", quote(meant))));
  }
  compared_ += names_.size();
  if (compared_ > kMostCompared)
    raise(ErrorKind::Quota, "too many patterns for a graph of so many nodes; name nodes instead");
  for (const std::string& name : names_)
    if (matches(pattern.text, name)) {
      const std::vector<NodeId>& nodes = nodes_.at(name);
      found.insert(found.end(), nodes.begin(), nodes.end());
    }
  if (found.empty())
    raise(ErrorKind::Model,
          fmt::format("no node of the graph matches {}; `braid plan MODEL --steps` lists them",
                      quote(pattern.text)));
  return distinct(std::move(found));
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last `*`, and where its match may go on
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace braid
