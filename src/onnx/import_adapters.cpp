#include "onnx/import_adapters.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/cast.h"

namespace braid::onnx {
namespace {

std::vector<std::int64_t> take_integers(Translation& t, std::string_view attribute) {
  auto list = t.node.attributes.integers(attribute);
  t.node.attributes.erase(attribute);
  return list;
}

void attribute_to_input(Translation& t, std::string_view attribute, std::size_t input) {
  if (!t.node.attributes.has(attribute)) return;
  const auto list = take_integers(t, attribute);
  t.set_input(input, t.integers(std::string(attribute), list));
}

void scalar_to_input(Translation& t, std::string_view attribute, std::size_t input) {
  if (!t.node.attributes.has(attribute)) return;
  const float number = t.node.attributes.real(attribute, 0);
  t.node.attributes.erase(attribute);
  t.set_input(input,
              t.constant(std::string(attribute), cast(Tensor::scalar(number), t.type(0).element)));
}

}  // namespace

void axes_to_input(Translation& t) {
  // An empty list means what no list means: all axes.
  if (t.node.attributes.integers("axes").empty())
    t.node.attributes.erase("axes");
  else
    attribute_to_input(t, "axes", 1);
}

void clip_bounds_to_inputs(Translation& t) {
  scalar_to_input(t, "min", 1);
  scalar_to_input(t, "max", 2);
}

void pads_to_inputs(Translation& t) {
  if (!t.node.attributes.has("pads")) raise(ErrorKind::Model, "Pad needs the attribute 'pads'");
  attribute_to_input(t, "pads", 1);
  scalar_to_input(t, "value", 2);
}

void slice_to_inputs(Translation& t) {
  if (!t.node.attributes.has("starts") || !t.node.attributes.has("ends"))
    raise(ErrorKind::Model, "Slice needs the attributes 'starts' and 'ends'");
  attribute_to_input(t, "starts", 1);
  attribute_to_input(t, "ends", 2);
  attribute_to_input(t, "axes", 3);
}

void top_k_to_input(Translation& t) {
  if (!t.node.attributes.has("k")) raise(ErrorKind::Model, "TopK needs the attribute 'k'");
  attribute_to_input(t, "k", 1);
}

void split_to_input(Translation& t) { attribute_to_input(t, "split", 1); }

void split_into_equal_parts(Translation& t) {
  if (!t.has_input(1))
    t.node.attributes.set("num_outputs", static_cast<std::int64_t>(t.outputs.size()));
}

void dropout_ratio_to_input(Translation& t) {
  if (!t.node.attributes.has("ratio")) return;
  const float ratio = t.node.attributes.real("ratio", 0);
  t.node.attributes.erase("ratio");
  t.set_input(1, t.constant("ratio", Tensor::scalar(ratio)));
}

void dft_axis_to_input(Translation& t) {
  const std::int64_t axis = t.node.attributes.integer("axis", 1);
  t.node.attributes.erase("axis");
  t.set_input(2, t.constant("axis", Tensor::scalar(axis)));
}

void drop_spatial(Translation& t) {
  if (t.node.attributes.integer("spatial", 1) != 1)
    raise(ErrorKind::Unsupported, "BatchNormalization with spatial=0 is not supported");
  t.node.attributes.erase("spatial");
}

void require_inference_batch_norm(Translation& t) {
  if (t.outputs.size() > 1)
    raise(ErrorKind::Unsupported, "BatchNormalization for training is not supported");
}

void softmax_over_trailing_axes(Translation& t) {
  const Dims dims = t.type(0).dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t axis = t.node.attributes.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank || (rank > 0 && axis == rank))
    raise(ErrorKind::Model, fmt::format("{} has axis {} on a tensor of rank {}", t.node.op,
                                        t.node.attributes.integer("axis", 1), rank));
  t.node.attributes.set("axis", std::int64_t{-1});
  if (axis == rank - 1) return;
  // The axes from `axis` on are normalised together.
  const ValueId rows = t.add("Flatten", {t.node.inputs.at(0)}, {{"axis", axis}}, "rows");
  const ValueId result = t.add(t.node.op, {rows}, t.node.attributes, "result");
  const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  t.node.op = "Reshape";
  t.node.attributes = {};
  if (empty) t.node.attributes.set("allowzero", std::int64_t{1});
  t.node.inputs = {result, t.integers("shape", dims)};
}

void group_norm_per_channel(Translation& t) {
  if (t.type(0).dims.size() < 2 || !t.has_input(1) || !t.has_input(2)) return;
  const std::int64_t groups = t.node.attributes.integer("num_groups", 1);
  const std::int64_t channels = t.type(0).dims[1];
  if (groups < 1 || channels % groups != 0)
    raise(ErrorKind::Model,
          fmt::format("GroupNormalization has {} groups of {} channels", groups, channels));
  if (groups == channels) return;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const ValueId column =
        t.add("Reshape", {t.node.inputs[i], t.integers("column", {groups, 1})}, {}, "per_group");
    const ValueId table =
        t.add("Expand", {column, t.integers("table", {groups, channels / groups})}, {}, "expanded");
    t.set_input(i,
                t.add("Reshape", {table, t.integers("channels", {channels})}, {}, "per_channel"));
  }
}

void grid_sample_modes(Translation& t) {
  const std::string mode = t.node.attributes.text("mode", "bilinear");
  if (mode == "bilinear") t.node.attributes.set("mode", std::string("linear"));
  if (mode == "bicubic") t.node.attributes.set("mode", std::string("cubic"));
}

void scatter_to_scatter_elements(Translation& t) { t.node.op = "ScatterElements"; }

void upsample_scales_to_input(Translation& t) {
  const std::vector<float> scales = t.node.attributes.reals("scales");
  t.node.attributes.erase("scales");
  t.set_input(1, t.constant("scales", Tensor::of<float>({static_cast<std::int64_t>(scales.size())},
                                                        std::span<const float>(scales))));
}

void upsample_to_resize(Translation& t) {
  t.node.op = "Resize";
  if (t.node.attributes.text("mode", "nearest") == "bilinear")
    t.node.attributes.set("mode", std::string("linear"));
  resize_without_roi(t);
}

void resize_without_roi(Translation& t) {
  if (!t.has_input(1)) raise(ErrorKind::Model, fmt::format("{} needs scales", t.node.op));
  t.node.inputs = {t.node.inputs[0], ValueId(), t.node.inputs[1]};
  t.node.attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
  t.node.attributes.set("nearest_mode", std::string("floor"));
}

void resize_empty_inputs(Translation& t) {
  // Exporters fill the place of roi and scales with a tensor without elements.
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (t.has_input(i) && element_count(t.type(i)) == 0) t.node.inputs[i] = ValueId();
  while (!t.node.inputs.empty() && !t.node.inputs.back().valid()) t.node.inputs.pop_back();
}

}  // namespace braid::onnx
