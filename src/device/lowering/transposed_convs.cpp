#include <limits>

#include "device/lowering/rules.h"
#include "device/lowering/transposed_phases.h"
#include "graph/query.h"
#include "ops/call.h"
#include "rewrite/edit_builder.h"
#include "rewrite/recipe.h"

namespace braid {
namespace {

/// A ConvTranspose with constant weights, and the convolutions that can do its work.
struct Transposed {
  ConvTransposeGeometry geometry;
  TransposedPhases phases;
  Tensor weights;
  Tensor bias;
};

std::optional<Transposed> transposed_at(const Graph& graph, const Node& node) {
  const OpCall call = call_of(graph, node);
  const Tensor* weights = constant_input(graph, node, 1);
  const Tensor* bias = constant_input(graph, node, 2);
  if (weights == nullptr || (call.has(2) && bias == nullptr) || !all_f32(call)) return std::nullopt;
  if (element_count(call.outputs[0]) == 0 || element_count(call.input(0)) == 0) return std::nullopt;
  ConvTransposeGeometry geometry = conv_transpose_geometry(call);
  auto phases = transposed_phases(geometry);
  if (!phases) return std::nullopt;
  return Transposed{std::move(geometry), *std::move(phases), *weights,
                    bias != nullptr ? *bias : Tensor()};
}

Dims from_to(std::size_t first, std::size_t last) {
  Dims list;
  for (; first < last; ++first) list.push_back(static_cast<std::int64_t>(first));
  return list;
}

void append(Dims& to, const Dims& more) { to.insert(to.end(), more.begin(), more.end()); }

Tensor list_of(const Dims& numbers) {
  return Tensor::of<std::int64_t>({std::ssize(numbers)}, numbers);
}

/// The taps from the first one of each axis on, `steps` apart.
Tensor taps_from(const Tensor& weights, const ConvAxes& axes, const Dims& steps) {
  Dims begin;
  for (const ConvAlongAxis& axis : axes) begin.push_back(axis.first_tap);
  const Dims end(axes.size(), std::numeric_limits<std::int64_t>::max());
  return promised_result("Slice", {weights, list_of(begin), list_of(end),
                                   list_of(from_to(2, 2 + axes.size())), list_of(steps)});
}

/// The other way round along every axis from `first` on.
Tensor reversed(const Tensor& tensor, std::size_t first) {
  const std::size_t rank = tensor.dims().size();
  const auto all = [&](std::int64_t number) { return list_of(Dims(rank - first, number)); };
  return promised_result("Slice", {tensor, all(-1), all(std::numeric_limits<std::int64_t>::min()),
                                   list_of(from_to(first, rank)), all(-1)});
}

/// [Ci, Co/g, kernel...] as [g * phases * Co/g, Ci/g, taps...], each axis of the kernel turned.
Tensor weights_of(const Transposed& conv, const ConvAxes& along) {
  const ConvTransposeGeometry& g = conv.geometry;
  const std::size_t axes = along.size();
  Dims steps;
  for (std::size_t i = 0; i < axes; ++i)
    steps.push_back(along[i].phases > 1 ? 1 : conv.geometry.window.strides[i]);
  const Tensor taken = taps_from(conv.weights, along, steps);
  Dims behind = {0, 0};
  Dims apart = {g.groups, g.in_channels_of_group(), g.out_channels_of_group()};
  Dims result = {g.groups * phases_of(along) * g.out_channels_of_group(), g.in_channels_of_group()};
  Dims phases;
  Dims taps;
  for (std::size_t i = 0; i < axes; ++i) {
    behind.push_back(along[i].taps * along[i].phases - taken.dims()[2 + i]);
    append(apart, {along[i].taps, along[i].phases});
    result.push_back(along[i].taps);
    taps.push_back(static_cast<std::int64_t>(3 + 2 * i));
    phases.push_back(static_cast<std::int64_t>(4 + 2 * i));
  }
  Dims order = {0};
  append(order, phases);
  append(order, {2, 1});
  append(order, taps);
  const Tensor whole = padded(taken, Dims(axes + 2, 0), behind);
  return reversed(reshaped(transposed(reshaped(whole, apart), order), result), 2);
}

/// The bias of every phase.
Tensor bias_of(const Transposed& conv, const ConvAxes& along) {
  const ConvTransposeGeometry& g = conv.geometry;
  const std::int64_t phases = phases_of(along);
  const Tensor once = reshaped(conv.bias, {g.groups, 1, g.out_channels_of_group()});
  return reshaped(joined(std::vector<Tensor>(static_cast<std::size_t>(phases), once), 1),
                  {phases * g.out_channels});
}

Attributes attributes_of(const Transposed& conv, const ConvAxes& along) {
  Dims pads;
  Dims ends;
  Dims dilations;
  for (const ConvAlongAxis& axis : along) {
    pads.push_back(axis.pad_begin);
    ends.push_back(axis.pad_end);
    dilations.push_back(axis.dilation);
  }
  append(pads, ends);
  return {{"dilations", dilations}, {"group", conv.geometry.groups}, {"pads", pads}};
}

/// The phases, channels of `y`, side by side along the spatial axes. All axes are moved with the
/// channels last, as convolutions write them, so that what is copied are rows of channels.
ValueId side_by_side(EditBuilder& build, const Transposed& conv, ValueId y) {
  const ConvTransposeGeometry& g = conv.geometry;
  const std::size_t axes = g.window.axes();
  // Convolutions of single phases make all groups of one, one convolution all phases of a group.
  const std::int64_t groups = conv.phases.convs.size() > 1 ? 1 : g.groups;
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
  apart.push_back(groups);
  Dims order = {0};
  Dims whole = {g.batch};
  for (std::size_t i = 0; i < axes; ++i) {
    apart.push_back(conv.geometry.window.strides[i]);
    append(order, {static_cast<std::int64_t>(1 + i), static_cast<std::int64_t>(axes + 2 + i)});
    whole.push_back(extents[i] * conv.geometry.window.strides[i]);
  }
  apart.push_back(g.out_channels / groups);
  append(order, {static_cast<std::int64_t>(axes + 1), static_cast<std::int64_t>(2 * axes + 2)});
  whole.push_back(g.out_channels);
  ValueId value = reshape(transpose(reshape(transpose(y, channels_last), apart), order), whole);

  Dims end;
  for (std::size_t i = 0; i < axes; ++i) end.push_back(conv.phases.begin[i] + g.window.input[i]);
  if (g.window.input != Dims(whole.begin() + 1, whole.end() - 1))
    value = build.add(
        "Slice", {value, build.integers("begin", conv.phases.begin), build.integers("end", end),
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
  std::vector<ValueId> phases;
  for (const ConvAxes& along : conv.phases.convs) {
    std::vector<ValueId> inputs = {
        node.inputs[0], build.constant(graph.value(node.inputs[1]).name, weights_of(conv, along))};
    if (conv.bias.defined())
      inputs.push_back(build.constant(graph.value(node.inputs[2]).name, bias_of(conv, along)));
    phases.push_back(build.add("Conv", std::move(inputs), attributes_of(conv, along), node.name));
  }
  ValueId value = build.concat(std::move(phases), 1);
  if (build.dims(value) != conv.geometry.output_dims()) value = side_by_side(build, conv, value);
  build.replace(node.outputs[0], value);
  return build.affordable();
}

}  // namespace

Rule transposed_convs() {
  return {"transposed-convs",
          "a ConvTranspose with constant weights becomes convolutions, which are laid side by side",
          {"ConvTranspose"},
          find_transposed,
          write_as_conv};
}

}  // namespace braid
