#include <algorithm>
#include <functional>
#include <limits>

#include "ops/call.h"
#include "ops/conv.h"
#include "ops/pool.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/rim.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// A window operator with what stands around it: Slice(operator(Pad(source))), where each of Slice
/// and Pad may be missing.
struct PadMatch {
  NodeId id;        ///< the window operator
  ValueId source;   ///< what the pad reads, or the operator if there is none
  ConstantRim pad;  ///< zeros in all entries if there is none
  Rim dropped;      ///< of the operator's output
  ValueId result;   ///< what the last slice makes, or the operator if there is none
};

/// The longest row of slices that is looked through: one per axis, as x[:, :, 1:, 1:] is exported.
constexpr int kMostSlices = 4;

bool is_window_operator(const Node& node) {
  if (node.op == "Conv") return !input_of(node, Epilogue::kResidualInput).valid();
  const bool pool = node.op == "MaxPool" || node.op == "AveragePool";
  return pool && node.attributes.integer("ceil_mode", 0) == 0 &&
         (node.outputs.size() < 2 || !node.outputs[1].valid());
}

Window window_of(const Graph& graph, const Node& node) {
  const OpCall call = call_of(graph, node);
  return node.op == "Conv" ? conv_geometry(call).window : pool_geometry(call).window;
}

void add_to(Rim& sum, const Rim& more) {
  std::transform(more.begin.begin(), more.begin.end(), sum.begin.begin(), sum.begin.begin(),
                 std::plus<>());
  std::transform(more.end.begin(), more.end.end(), sum.end.begin(), sum.end.begin(), std::plus<>());
}

/// Looks upwards from a node that is a slice or a window operator.
std::optional<PadMatch> padded_window(const Graph& graph, NodeId last) {
  PadMatch found;
  found.id = last;
  found.result = graph.node(last).outputs[0];
  if (!found.result.valid()) return std::nullopt;
  const std::size_t rank = graph.value(found.result).type.dims.size();
  if (rank < 3) return std::nullopt;
  found.dropped = {Dims(rank - 2, 0), Dims(rank - 2, 0)};
  found.pad.rim = found.dropped;
  for (int i = 0; i < kMostSlices && graph.node(found.id).op == "Slice"; ++i) {
    const auto rim = removed_rim(graph, graph.node(found.id));
    const ValueId input = graph.node(found.id).inputs[0];
    if (!rim || !has_single_use(graph, input) || !graph.value(input).producer.valid())
      return std::nullopt;
    add_to(found.dropped, *rim);
    found.id = graph.value(input).producer;
  }
  if (!is_window_operator(graph.node(found.id))) return std::nullopt;
  found.source = graph.node(found.id).inputs[0];
  if (const NodeId pad = made_by(graph, found.source, "Pad"); pad.valid()) {
    if (const auto added = added_rim(graph, graph.node(pad))) {
      found.pad = *added;
      found.source = graph.node(pad).inputs[0];
    }
  }
  return found;
}

/// How much of both kinds of padding the remaining windows still reach.
struct Reached {
  Rim own;    ///< the operator's
  Rim given;  ///< the Pad's
};

/// Dropping an output moves the first window inwards by a stride: first past the operator's own
/// padding, then past the Pad's. False if it would also leave out elements of the source.
bool move_inwards(std::int64_t outputs, std::int64_t stride, std::int64_t& own,
                  std::int64_t& from_pad) {
  own -= outputs * stride;
  if (own < 0) {
    from_pad += own;
    own = 0;
  }
  return from_pad >= 0;
}

std::optional<Reached> reached(const PadMatch& found, const Window& window) {
  Reached rims{{window.pads_begin, window.pads_end}, found.pad.rim};
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    const std::int64_t stride = window.strides[axis];
    if (!move_inwards(found.dropped.begin[axis], stride, rims.own.begin[axis],
                      rims.given.begin[axis]) ||
        !move_inwards(found.dropped.end[axis], stride, rims.own.end[axis], rims.given.end[axis]))
      return std::nullopt;
  }
  return rims;
}

/// Whether every window reaches the input, as ONNX wants it of a pool.
bool all_windows_reach_input(const Window& window, const Rim& rim) {
  for (std::size_t axis = 0; axis < window.axes(); ++axis)
    if (window.dilations[axis] != 1 || rim.begin[axis] >= window.kernel[axis] ||
        rim.end[axis] >= window.kernel[axis])
      return false;
  return true;
}

/// Makes the operator do both paddings itself; false if that would not mean the same.
bool set_pads(Node& node, const Window& window, const Reached& rims, double number) {
  Rim total = rims.own;
  add_to(total, rims.given);
  if (node.op != "Conv" && !all_windows_reach_input(window, total)) return false;
  if (!rims.given.is_zero()) {
    // A maximum never picks its padding; a convolution pads with zeros; an average counts explicit
    // zeros always and its own only if told to.
    const bool counts = node.attributes.integer("count_include_pad", 0) != 0 || rims.own.is_zero();
    if (node.op == "MaxPool" ? number != -std::numeric_limits<double>::infinity() : number != 0)
      return false;
    if (node.op == "AveragePool" && !counts) return false;
    if (node.op == "AveragePool") node.attributes.set("count_include_pad", 1);
  }
  std::vector<std::int64_t> pads = total.begin;
  pads.insert(pads.end(), total.end.begin(), total.end.end());
  node.attributes.set("pads", pads);
  node.attributes.erase("auto_pad");
  return true;
}

/// The window operator with all pads as its own; nothing if that would not mean the same.
std::optional<Node> with_folded_pads(const Graph& graph, const PadMatch& found) {
  if (found.pad.rim.is_zero() && found.dropped.is_zero()) return std::nullopt;
  Node folded = graph.node(found.id);
  const Window window = window_of(graph, folded);
  const auto rims = reached(found, window);
  if (!rims || !set_pads(folded, window, *rims, found.pad.number)) return std::nullopt;
  folded.inputs[0] = found.source;
  folded.outputs.clear();
  return folded;
}

std::vector<Match> find_padded_window(const Site& site) {
  if (site.node().op != "Slice" && !is_window_operator(site.node())) return {};
  const auto found = padded_window(site.graph, site.anchor);
  if (!found || !with_folded_pads(site.graph, *found)) return {};
  return {{.anchor = site.anchor, .nodes = {found->id}}};
}

bool pad_inside(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const PadMatch found = *padded_window(graph, match.anchor);
  edit.replace(found.result,
               edit.add_node(*with_folded_pads(graph, found), {graph.value(found.result).type})[0]);
  return true;
}

}  // namespace

Rule fold_pads() {
  return {"fold-pads",
          "fold Pad into the pads of the operator after it",
          {"Slice", "Conv", "MaxPool", "AveragePool"},
          find_padded_window,
          pad_inside};
}

}  // namespace braid
