#include <fmt/format.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/node_label.h"
#include "report/pictures.h"
#include "report/plan_edges.h"

namespace braid {

std::string graph_dot(const Graph& lowered, const Plan& plan) {
  const std::vector<std::int32_t> streams = node_streams(lowered, plan);
  const auto parts = steps_by_node(lowered, plan);
  std::string text = fmt::format(
      "// {} by {}; the colour of a node is its stream, dashed edges are waits between streams\n"
      "digraph {} {{\n"
      "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=10]\n"
      "  edge [color=\"#606060\"]\n",
      printable(plan.device), printable(plan.scheduler), quoted_dot(printable(lowered.name)));
  for (NodeId id : lowered.node_ids()) {
    const Node& node = lowered.node(id);
    const std::int32_t stream = streams[id.at()];
    std::string words = fmt::format("{}\n{}", printable(node.op), label(lowered, id));
    if (parts[id.at()].size() > 1) words += fmt::format("\nin {} parts", parts[id.at()].size());
    text += fmt::format(
        "  n{} [label={}, fillcolor={}, tooltip={}]\n", id.index, quoted_dot(words),
        quoted_dot(stream < 0 ? "#ffffff" : stream_colour(static_cast<std::size_t>(stream))),
        quoted_dot(fmt::format("stream {}: {}", stream, printable(node.lowering.implementation))));
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
