#include "rewrite/rules/joined_hosts.h"

#include <algorithm>
#include <array>

#include "graph/query.h"
#include "ops/shared/epilogue.h"
#include "rewrite/convolution.h"

namespace braid {

bool activate_alike(const Graph& graph, NodeId a, NodeId b) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"activation", "activation_alpha", "activation_beta"});
  return std::ranges::all_of(kNames, [&](std::string_view name) {
    const Attribute* one = graph.node(a).attributes.find(name);
    const Attribute* other = graph.node(b).attributes.find(name);
    return one == nullptr || other == nullptr ? one == other : *one == *other;
  });
}

ValueId with_epilogue(EditBuilder& build, const Graph& graph, NodeId host, ValueId value,
                      const Heirs& heirs) {
  const std::string name = name_of(graph, host);
  if (ValueId residual = input_of(graph.node(host), Epilogue::kResidualInput); residual.valid()) {
    const auto heir = std::ranges::find(heirs, residual, &Heirs::value_type::first);
    if (heir != heirs.end()) residual = heir->second;
    value = build.add("Add", {value, residual}, {}, name + "/sum");
  }
  return add_activation(build, graph.node(host), value, name + "/activation");
}

void hand_out(EditBuilder& build, const Graph& graph, const std::vector<NodeId>& hosts,
              ValueId made, const std::vector<std::int64_t>& lengths, std::int64_t axis,
              const std::string& name) {
  const bool is_common = std::ranges::all_of(hosts, [&](NodeId host) {
    return !input_of(graph.node(host), Epilogue::kResidualInput).valid() &&
           activate_alike(graph, host, hosts[0]);
  });
  if (is_common) made = add_activation(build, graph.node(hosts[0]), made, name + "/activation");
  const std::vector<ValueId> pieces = build.split(made, lengths, axis, name + "/pieces");
  Heirs heirs;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const ValueId heir =
        is_common ? pieces[i] : with_epilogue(build, graph, hosts[i], pieces[i], heirs);
    heirs.emplace_back(graph.node(hosts[i]).outputs[0], heir);
    build.replace(heirs.back().first, heir);
  }
}

std::vector<Match> matches_of_some(const std::vector<NodeId>& nodes, std::size_t most) {
  std::vector<Match> found;
  const auto first = [&](std::size_t count) {
    const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(count);
    found.push_back({.anchor = nodes[0], .nodes = {nodes.begin() + 1, end}});
  };
  if (nodes.size() < 2) return found;
  first(std::min(nodes.size(), most));
  for (const std::size_t count : {10U, 5U, 4U, 2U})
    if (count < std::min(nodes.size(), most)) first(count);
  return found;
}

std::vector<NodeId> all_nodes(const Match& match) {
  std::vector<NodeId> nodes = {match.anchor};
  nodes.insert(nodes.end(), match.nodes.begin(), match.nodes.end());
  return nodes;
}

bool differ_only_along(const Dims& a, const Dims& b, std::size_t axis) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i != axis && a[i] != b[i]) return false;
  return true;
}

}  // namespace braid
