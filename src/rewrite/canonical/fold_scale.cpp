#include <algorithm>
#include <cmath>

#include "rewrite/canonical/linear.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// A product of what an operator gives and a constant factor for each of its channels.
struct Scaled {
  Linear linear;
  Affine affine;
};

/// Whether these are the dimensions of one number for each channel, broadcast to `whole`.
bool is_one_for_each(const Dims& dims, const Dims& whole, std::size_t channel_axis) {
  if (dims.size() > whole.size() || element_count(dims) != whole[channel_axis]) return false;
  const std::size_t missing = whole.size() - dims.size();
  return channel_axis >= missing && dims[channel_axis - missing] == whole[channel_axis];
}

std::optional<Scaled> scaled_at(const Graph& graph, const Node& mul) {
  const Dims& whole = graph.value(mul.outputs[0]).type.dims;
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor* factors = constant_input(graph, mul, 1 - i);
    const Value& value = graph.value(mul.inputs[i]);
    if (factors == nullptr || value.type.dims != whole || whole.size() < 2) continue;
    for (const ChannelAxis axis : {ChannelAxis::Second, ChannelAxis::Last}) {
      const std::size_t channels = axis == ChannelAxis::Second ? 1 : whole.size() - 1;
      // One factor for all is for whoever knows what it is for, as attention does.
      if (whole[channels] == 1 || !is_one_for_each(factors->dims(), whole, channels)) continue;
      auto linear = linear_producer(graph, mul.inputs[i], axis);
      if (!linear) continue;
      Affine affine{doubles(*factors), std::vector<double>(linear->bias.size(), 0.0)};
      if (!std::ranges::all_of(affine.scale, [](double x) { return std::isfinite(x); })) continue;
      return Scaled{std::move(*linear), std::move(affine)};
    }
  }
  return std::nullopt;
}

std::vector<Match> find_scaled(const Site& site) {
  const auto scaled = scaled_at(site.graph, site.node());
  if (!scaled) return {};
  return {{.anchor = site.anchor, .nodes = {scaled->linear.id}}};
}

bool fold(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& mul = graph.node(match.anchor);
  const auto [linear, affine] = *scaled_at(graph, mul);
  const auto folded =
      add_folded(edit, graph, linear, affine, graph.node(linear.id).name, allowance);
  if (!folded) return false;
  edit.replace(mul.outputs[0], *folded);
  return true;
}

}  // namespace

Rule fold_scale() {
  return {"fold-scale",
          "fold constant factors of channels into the weights before them",
          {"Mul"},
          find_scaled,
          fold};
}

}  // namespace braid
