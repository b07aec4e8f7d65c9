#include <limits>

#include "device/lowering/rules.h"
#include "graph/query.h"
#include "ops/call.h"
#include "ops/conv.h"
#include "rewrite/edit_builder.h"
#include "rewrite/recipe.h"

namespace braid {
namespace {

// Along an axis with stride s, output o = s * t + p - pad_begin of a ConvTranspose reads the inputs
// t - j through the taps s * j + p, for all j. So a Conv with ceil(kernel / s) taps makes, at place
// t, the outputs of all s phases p as channels of their own, which are then laid side by side:
//
//     taps     p=0 p=1 p=0 p=1          Conv at t:   [p=0 | p=1]
//     j         0   0   1   1           outputs:      2t    2t+1    (less pad_begin)

/// A ConvTranspose along one axis as a Conv whose channels are phases.
struct PhasesAlongAxis {
  std::int64_t phases = 1;
  std::int64_t taps = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
  std::int64_t first = 0;  ///< the output's place among all phases side by side
};

/// Nothing if the Conv would have to skip inputs, if taps lie apart, or if most of them would be
/// zeros.
std::optional<PhasesAlongAxis> phases_along(const Window& w, std::size_t axis) {
  const std::int64_t stride = w.strides[axis];
  const std::int64_t reach = w.dilations[axis] * (w.kernel[axis] - 1);
  PhasesAlongAxis along{.phases = stride, .taps = w.kernel[axis], .dilation = w.dilations[axis]};
  const std::int64_t pad = w.pads_begin[axis];
  if (stride == 1) {
    along.pad_begin = reach - pad;
    along.pad_end = w.input[axis] - 1 + pad - (w.output[axis] - 1);
  } else {
    if (w.dilations[axis] != 1 || pad < 0 || stride > 2 * w.kernel[axis]) return std::nullopt;
    along.taps = (w.kernel[axis] + stride - 1) / stride;
    along.first = pad % stride;
    along.pad_begin = along.taps - 1 - pad / stride;
    along.pad_end = (w.input[axis] - 1 + pad) / stride - (w.output[axis] - 1);
  }
  return along.pad_begin < 0 || along.pad_end < 0 ? std::nullopt : std::optional(along);
}

/// A ConvTranspose with constant weights, of which a Conv can do the work.
struct Transposed {
  ConvTransposeGeometry geometry;
  std::vector<PhasesAlongAxis> along;
  Tensor weights;
  Tensor bias;

  std::size_t axes() const { return along.size(); }
  std::int64_t phases() const {
    std::int64_t all = 1;
    for (const PhasesAlongAxis& axis : along) all *= axis.phases;
    return all;
  }
};

std::optional<Transposed> transposed_at(const Graph& graph, const Node& node) {
  const OpCall call = call_of(graph, node);
  const Tensor* weights = constant_input(graph, node, 1);
  const Tensor* bias = constant_input(graph, node, 2);
  if (weights == nullptr || (call.has(2) && bias == nullptr) || !all_f32(call)) return std::nullopt;
  Transposed conv{
      .geometry = conv_transpose_geometry(call), .along = {}, .weights = *weights, .bias = {}};
  if (bias != nullptr) conv.bias = *bias;
  if (element_count(call.outputs[0]) == 0 || element_count(call.input(0)) == 0) return std::nullopt;
  for (std::size_t axis = 0; axis < conv.geometry.window.axes(); ++axis) {
    const auto along = phases_along(conv.geometry.window, axis);
    if (!along) return std::nullopt;
    conv.along.push_back(*along);
  }
  return conv;
}

Dims from_to(std::size_t first, std::size_t last) {
  Dims list;
  for (; first < last; ++first) list.push_back(static_cast<std::int64_t>(first));
  return list;
}

void append(Dims& to, const Dims& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The other way round along every axis from `first` on.
Tensor reversed(const Tensor& tensor, std::size_t first) {
  const std::size_t rank = tensor.dims().size();
  const auto list = [&](std::int64_t number) {
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(rank - first)},
                                    Dims(rank - first, number));
  };
  const Dims axes = from_to(first, rank);
  return promised_result("Slice", {tensor, list(-1), list(std::numeric_limits<std::int64_t>::min()),
                                   Tensor::of<std::int64_t>({std::ssize(axes)}, axes), list(-1)});
}

/// [Ci, Co/g, kernel...] as [g * phases * Co/g, Ci/g, taps...], each axis of the kernel turned.
Tensor weights_of_phases(const Transposed& conv) {
  const ConvTransposeGeometry& g = conv.geometry;
  const std::size_t axes = conv.axes();
  Dims behind = {0, 0};
  Dims apart = {g.groups, g.in_channels_of_group(), g.out_channels_of_group()};
  Dims result = {g.groups * conv.phases() * g.out_channels_of_group(), g.in_channels_of_group()};
  Dims phases;
  Dims taps;
  for (std::size_t i = 0; i < axes; ++i) {
    const PhasesAlongAxis& along = conv.along[i];
    behind.push_back(along.taps * along.phases - g.window.kernel[i]);
    append(apart, {along.taps, along.phases});
    result.push_back(along.taps);
    taps.push_back(static_cast<std::int64_t>(3 + 2 * i));
    phases.push_back(static_cast<std::int64_t>(4 + 2 * i));
  }
  Dims order = {0};
  append(order, phases);
  append(order, {2, 1});
  append(order, taps);
  const Tensor whole = padded(conv.weights, Dims(axes + 2, 0), behind);
  return reversed(reshaped(transposed(reshaped(whole, apart), order), result), 2);
}

/// The bias of every phase.
Tensor bias_of_phases(const Transposed& conv) {
  const ConvTransposeGeometry& g = conv.geometry;
  const Tensor once = reshaped(conv.bias, {g.groups, 1, g.out_channels_of_group()});
  return reshaped(joined(std::vector<Tensor>(static_cast<std::size_t>(conv.phases()), once), 1),
                  {g.groups * conv.phases() * g.out_channels_of_group()});
}

Attributes conv_attributes(const Transposed& conv) {
  Dims pads;
  Dims ends;
  Dims dilations;
  for (const PhasesAlongAxis& along : conv.along) {
    pads.push_back(along.pad_begin);
    ends.push_back(along.pad_end);
    dilations.push_back(along.dilation);
  }
  append(pads, ends);
  return {{"dilations", dilations}, {"group", conv.geometry.groups}, {"pads", pads}};
}

/// The phases, channels of `y`, side by side along the spatial axes. All axes are moved with the
/// channels last, as convolutions write them, so that what is copied are rows of channels.
ValueId side_by_side(EditBuilder& build, const Transposed& conv, ValueId y) {
  const ConvTransposeGeometry& g = conv.geometry;
  const std::size_t axes = conv.axes();
  const Dims extents(build.dims(y).begin() + 2, build.dims(y).end());
  const auto transpose = [&](ValueId x, const Dims& perm) {
    return build.add("Transpose", {x}, {{"perm", perm}});
  };
  const auto reshape = [&](ValueId x, const Dims& dims) {
    return build.add("Reshape", {x, build.integers("shape", dims)});
  };
  Dims channels_last = {0};
  append(channels_last, from_to(2, axes + 2));
  channels_last.push_back(1);
  Dims channels_second = {0, static_cast<std::int64_t>(axes + 1)};
  append(channels_second, from_to(1, axes + 1));

  // [N, t..., g, p..., Co/g] becomes [N, t, p, t, p, ..., g, Co/g].
  Dims apart = {g.batch};
  append(apart, extents);
  apart.push_back(g.groups);
  Dims order = {0};
  Dims whole = {g.batch};
  for (std::size_t i = 0; i < axes; ++i) {
    apart.push_back(conv.along[i].phases);
    append(order, {static_cast<std::int64_t>(1 + i), static_cast<std::int64_t>(axes + 2 + i)});
    whole.push_back(extents[i] * conv.along[i].phases);
  }
  apart.push_back(g.out_channels_of_group());
  append(order, {static_cast<std::int64_t>(axes + 1), static_cast<std::int64_t>(2 * axes + 2)});
  whole.push_back(g.out_channels);
  ValueId value = reshape(transpose(reshape(transpose(y, channels_last), apart), order), whole);

  Dims begin;
  Dims end;
  for (std::size_t i = 0; i < axes; ++i) {
    begin.push_back(conv.along[i].first);
    end.push_back(conv.along[i].first + g.window.input[i]);
  }
  if (g.window.input != Dims(whole.begin() + 1, whole.end() - 1))
    value = build.add("Slice", {value, build.integers("begin", begin), build.integers("end", end),
                                build.integers("axes", from_to(1, axes + 1))});
  return transpose(value, channels_second);
}

std::vector<Match> find_transposed(const Site& site) {
  if (!transposed_at(site.graph, site.node())) return {};
  return {{.anchor = site.anchor}};
}

bool write_as_conv(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const Transposed conv = *transposed_at(graph, node);
  EditBuilder build(graph, allowance, edit);
  std::vector<ValueId> inputs = {
      node.inputs[0], build.constant(graph.value(node.inputs[1]).name, weights_of_phases(conv))};
  if (conv.bias.defined())
    inputs.push_back(build.constant(graph.value(node.inputs[2]).name, bias_of_phases(conv)));
  ValueId value = build.add("Conv", std::move(inputs), conv_attributes(conv), node.name);
  if (conv.phases() > 1) value = side_by_side(build, conv, value);
  build.replace(node.outputs[0], value);
  return build.affordable();
}

}  // namespace

Rule transposed_convs() {
  return {
      "transposed-convs",
      "a ConvTranspose with constant weights becomes a Conv, whose channels are laid side by side",
      {"ConvTranspose"},
      find_transposed,
      write_as_conv};
}

}  // namespace braid
