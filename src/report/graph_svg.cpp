#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/node_label.h"
#include "report/pictures.h"
#include "report/plan_edges.h"
#include "report/text_width.h"

namespace braid {
namespace {

constexpr int kBoxWidth = 150;
constexpr int kBoxHeight = 34;
constexpr int kColumn = 170;
constexpr int kRow = 62;
constexpr int kMargin = 24;
constexpr int kLegend = 40;  // above the graph
constexpr int kFont = 10;
constexpr int kPadding = 7;                    // of the words in a box
constexpr std::size_t kMostLabelled = 20'000;  // nodes; more get no words, only titles

struct Place {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// The nodes of a stream on one level stand side by side; a stream has as many columns as that
/// needs at most, from its first level to its last, and others may have them before and after.
class Layered {
 public:
  Layered(const Graph& graph, const std::vector<std::int32_t>& streams, std::size_t stream_count)
      : places_(graph.node_limit()), blocks_(stream_count + 1) {
    const std::vector<std::int32_t> levels = node_levels(graph);
    std::map<std::pair<std::int32_t, std::size_t>, std::int64_t> taken;  // of a level by a block
    std::vector<std::int64_t> slot(graph.node_limit(), 0);
    const auto block_of = [&](NodeId id) { return static_cast<std::size_t>(streams[id.at()] + 1); };
    for (NodeId id : graph.node_ids()) {
      const std::int32_t level = levels[id.at()];
      slot[id.at()] = taken[{level, block_of(id)}]++;
      Block& block = blocks_[block_of(id)];
      block.top = block.columns == 0 ? level : std::min(block.top, level);
      block.bottom = std::max(block.bottom, level);
      block.columns = std::max(block.columns, slot[id.at()] + 1);
      rows_ = std::max<std::int64_t>(rows_, level + 1);
    }
    place_blocks();
    for (NodeId id : graph.node_ids())
      places_[id.at()] = {kMargin + kColumn * (blocks_[block_of(id)].first + slot[id.at()]),
                          kMargin + kLegend + std::int64_t{kRow} * levels[id.at()]};
  }

  const Place& place(NodeId id) const { return places_[id.at()]; }
  std::int64_t width() const {
    return 2 * kMargin + kColumn * std::max<std::int64_t>(std::ssize(free_from_), 4);
  }
  std::int64_t height() const { return 2 * kMargin + kLegend + kRow * rows_; }

 private:
  struct Block {
    std::int32_t top = 0;
    std::int32_t bottom = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
  };

  /// Places the blocks from the topmost on, each as far to the left as there is room.
  void place_blocks() {
    std::vector<Block*> order;
    for (Block& block : blocks_)
      if (block.columns > 0) order.push_back(&block);
    // Blocks lie in one vector, so their addresses are in the order of streams.
    std::sort(order.begin(), order.end(), [](const Block* a, const Block* b) {
      return std::tie(a->top, a) < std::tie(b->top, b);
    });
    for (Block* block : order) {
      std::int64_t room = 0;
      std::int64_t end = 0;
      for (; end < std::ssize(free_from_) && room < block->columns; ++end)
        room = free_from_[static_cast<std::size_t>(end)] <= block->top ? room + 1 : 0;
      block->first = end - room;
      free_from_.resize(
          std::max(free_from_.size(), static_cast<std::size_t>(block->first + block->columns)), 0);
      std::fill_n(free_from_.begin() + block->first, block->columns, block->bottom + 1);
    }
  }

  std::vector<Place> places_;
  std::vector<Block> blocks_;            // by stream + 1; the first is of nodes that have none
  std::vector<std::int32_t> free_from_;  // level from which on a column is free
  std::int64_t rows_ = 0;
};

std::string shortened(std::string_view text, bool bold) {
  constexpr double kRoom = static_cast<double>(kBoxWidth - 2 * kPadding) / kFont;
  return escaped_markup(fitting(text, kRoom, bold));
}

using Streams = std::vector<std::size_t>;

/// What a box is filled with: the colours of its streams side by side, each as wide as the others.
class Fills {
 public:
  explicit Fills(const std::vector<Streams>& by_node) {
    for (const Streams& streams : by_node)
      if (streams.size() > 1) ids_.try_emplace(streams, ids_.size());
  }

  std::string of(const Streams& streams) const {
    if (streams.empty()) return "#ffffff";
    if (streams.size() == 1) return stream_colour(streams[0]);
    return fmt::format("url(#cut{})", ids_.at(streams));
  }

  std::string definitions() const {
    std::string text;
    for (const auto& [streams, id] : ids_) text += gradient(streams, id);
    return text.empty() ? "" : "<defs>\n" + text + "</defs>\n";
  }

 private:
  static std::string gradient(const Streams& streams, std::size_t id) {
    std::string text = fmt::format("<linearGradient id=\"cut{}\">", id);
    const auto offset = [&](std::size_t i) {
      return static_cast<double>(i) / static_cast<double>(streams.size());
    };
    for (std::size_t i = 0; i < streams.size(); ++i)
      for (const double at : {offset(i), offset(i + 1)})
        text += fmt::format("<stop offset=\"{:.4f}\" stop-color=\"{}\"/>", at,
                            stream_colour(streams[i]));
    return text + "</linearGradient>\n";
  }

  std::map<Streams, std::size_t> ids_;
};

std::string edge_path(const PlanEdge& edge, const Layered& layout) {
  const Place& from = layout.place(edge.from);
  const Place& to = layout.place(edge.to);
  const std::int64_t x = from.x + kBoxWidth / 2;
  const std::int64_t y = from.y + kBoxHeight;
  // An edge over several levels swings aside, around the boxes below its begin.
  const std::int64_t aside = to.x == from.x && to.y - from.y > kRow ? kBoxWidth / 2 + 8 : 0;
  const char* style = !edge.carries ? " class=\"order\"" : edge.waits ? " class=\"wait\"" : "";
  return fmt::format("<path{} d=\"M{} {}C{} {} {} {} {} {}\"/>\n", style, x, y, x + aside,
                     y + (kRow - kBoxHeight), to.x + kBoxWidth / 2 + aside,
                     to.y - (kRow - kBoxHeight), to.x + kBoxWidth / 2, to.y);
}

/// "stream 3", "streams 0, 1", "no stream".
std::string streams_text(const Streams& streams) {
  if (streams.empty()) return "no stream";
  return fmt::format("stream{} {}", streams.size() > 1 ? "s" : "", fmt::join(streams, ", "));
}

std::string node_box(const Graph& graph, NodeId id, const Place& place, const Streams& streams,
                     const std::string& fill, std::size_t parts, bool labelled) {
  const Node& node = graph.node(id);
  const std::string op = printable(node.op) + (parts > 1 ? fmt::format(" in {}", parts) : "");
  std::string text = fmt::format(
      "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" "
      "fill=\"{}\"/>",
      escaped_markup(fmt::format("{} {}, {}, {}", op, label(graph, id), streams_text(streams),
                                 printable(node.lowering.implementation))),
      place.x, place.y, kBoxWidth, kBoxHeight, fill);
  if (labelled)
    text += fmt::format(
        "<text x=\"{0}\" y=\"{1}\" class=\"op\">{2}</text><text x=\"{0}\" y=\"{3}\">{4}</text>",
        place.x + kPadding, place.y + 14, shortened(op, true), place.y + 27,
        shortened(label(graph, id), false));
  return text + "</g>\n";
}

std::string legend(const Plan& plan) {
  constexpr std::size_t kMost = 32;
  std::string text;
  for (std::size_t stream = 0; stream < std::min(kMost, plan.streams.size()); ++stream)
    text += fmt::format(
        "<rect x=\"{}\" y=\"34\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{}\" "
        "y=\"44\">{}</text>\n",
        kMargin + 44 * stream, stream_colour(stream), kMargin + 44 * stream + 16, stream);
  return text;
}

}  // namespace

std::string graph_svg(const Graph& lowered, const Plan& plan) {
  const std::vector<std::int32_t> streams = node_streams(lowered, plan);
  const auto parts = steps_by_node(lowered, plan);
  const std::vector<Streams> all_streams = streams_by_node(lowered, plan);
  const Fills fills(all_streams);
  const Layered layout(lowered, streams, plan.streams.size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\">\n"
      "<style>text{{font:{4}px sans-serif;fill:#15181c}}.op{{font-weight:bold}}"
      "rect{{stroke:#00000040}}path{{fill:none;stroke:#70757c;stroke-width:1.2}}"
      ".wait{{stroke-dasharray:5 3}}.order{{stroke:#b06060;stroke-dasharray:2 3}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\" stroke=\"none\"/>\n"
      "<text x=\"{2}\" y=\"22\">{3}</text>\n",
      layout.width(), layout.height(), kMargin,
      escaped_markup(fmt::format("Plan of {} on {}, coloured by stream; dashed: one stream waits "
                                 "for another; dotted: only for its memory",
                                 printable(plan.scheduler), printable(plan.device))),
      kFont);
  text += fills.definitions() + legend(plan);
  for (const PlanEdge& edge : plan_edges(lowered, plan)) text += edge_path(edge, layout);
  const std::vector<NodeId> ids = lowered.node_ids();
  for (NodeId id : ids)
    text += node_box(lowered, id, layout.place(id), all_streams[id.at()],
                     fills.of(all_streams[id.at()]), parts[id.at()].size(),
                     ids.size() <= kMostLabelled);
  return text + "</svg>\n";
}

}  // namespace braid
