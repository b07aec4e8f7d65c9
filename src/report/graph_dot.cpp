#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/node_label.h"
#include "report/pictures.h"
#include "report/plan_edges.h"

namespace braid {
namespace {

/// Of all streams, as stripes are told.
std::string colours(const std::vector<std::size_t>& streams) {
  std::string text;
  for (const std::size_t stream : streams)
    text += (text.empty() ? "" : ":") + stream_colour(stream);
  return text.empty() ? "#ffffff" : text;
}

}  // namespace

std::string graph_dot(const Graph& lowered, const Plan& plan) {
  const auto streams = streams_by_node(lowered, plan);
  const auto parts = steps_by_node(lowered, plan);
  std::string text = fmt::format(
      "// {} by {}; the colour of a node is its stream, dashed edges are waits between streams\n"
      "digraph {} {{\n"
      "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=10]\n"
      "  edge [color=\"#606060\"]\n",
      printable(plan.device), printable(plan.scheduler), quoted_dot(printable(lowered.name)));
  for (NodeId id : lowered.node_ids()) {
    const Node& node = lowered.node(id);
    const std::vector<std::size_t>& of_node = streams[id.at()];
    std::string words = fmt::format("{}\n{}", printable(node.op), label(lowered, id));
    if (parts[id.at()].size() > 1) words += fmt::format("\nin {} parts", parts[id.at()].size());
    text += fmt::format("  n{} [label={}, fillcolor={}, tooltip={}{}]\n", id.index,
                        quoted_dot(words), quoted_dot(colours(of_node)),
                        quoted_dot(fmt::format("stream {}: {}", fmt::join(of_node, ", "),
                                               printable(node.lowering.implementation))),
                        of_node.size() > 1 ? ", style=striped" : "");
  }
  for (const PlanEdge& edge : plan_edges(lowered, plan)) {
    std::string how;
    if (edge.waits) how = " [style=dashed]";
    if (!edge.carries) how = " [style=dashed, color=\"#b06060\", constraint=false]";
    text += fmt::format("  n{} -> n{}{}\n", edge.from.index, edge.to.index, how);
  }
  return text + "}\n";
}

}  // namespace braid
