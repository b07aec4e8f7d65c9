#include "onnx/export_adapters.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tensor/element.h"

namespace braid::onnx {
namespace {

std::int64_t rank_of(const Export& e, std::size_t input) {
  return static_cast<std::int64_t>(e.type(input).dims.size());
}

/// Older opsets count axes from the front only.
std::vector<std::int64_t> from_front(std::vector<std::int64_t> axes, std::int64_t rank) {
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += rank;
  return axes;
}

float known_number(const Export& e, std::size_t input, std::string_view what) {
  const Tensor tensor = e.known(input, what).aligned();
  if (tensor.elements() != 1) e.unsupported(what);
  return dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return static_cast<float>(load(tensor.data<T>()[0]));
  });
}

void number_to_attribute(Export& e, std::size_t input, const char* name) {
  if (!e.has_input(input)) return;
  if (e.type(0).element != ElementType::F32) e.unsupported("on elements other than f32");
  e.node.attributes.set(name, known_number(e, input, name));
}

}  // namespace

void axes_to_attribute(Export& e) {
  if (!e.has_input(1)) return;
  std::int64_t rank = rank_of(e, 0);
  auto axes = e.known_integers(1, "axes");
  if (e.node.op == "Unsqueeze") rank += static_cast<std::int64_t>(axes.size());
  e.node.attributes.set("axes", from_front(std::move(axes), rank));
  e.drop_inputs_from(1);
}

void reduce_axes_to_attribute(Export& e) {
  const bool some = e.has_input(1) && !e.known_integers(1, "axes").empty();
  if (!some && e.node.attributes.integer("noop_with_empty_axes", 0) != 0)
    e.unsupported("over no axes");
  e.node.attributes.erase("noop_with_empty_axes");
  if (some)
    axes_to_attribute(e);
  else
    e.drop_inputs_from(1);
}

void clip_bounds_to_attributes(Export& e) {
  number_to_attribute(e, 1, "min");
  number_to_attribute(e, 2, "max");
  e.drop_inputs_from(1);
}

void pad_all_axes(Export& e) {
  if (!e.has_input(3)) return;
  const auto rank = static_cast<std::size_t>(rank_of(e, 0));
  const auto axes = from_front(e.known_integers(3, "axes"), rank_of(e, 0));
  const auto pads = e.known_integers(1, "pads");
  if (pads.size() != 2 * axes.size()) e.unsupported("with pads that do not fit its axes");
  std::vector<std::int64_t> all(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    all.at(static_cast<std::size_t>(axes[i])) = pads[i];
    all.at(rank + static_cast<std::size_t>(axes[i])) = pads[axes.size() + i];
  }
  e.drop_inputs_from(3);
  e.set_input(1, "pads",
              Tensor::of<std::int64_t>({static_cast<std::int64_t>(all.size())},
                                       std::span<const std::int64_t>(all)));
}

void pads_to_attributes(Export& e) {
  // The step before may have made new pads.
  const bool made = !e.constants.empty() && e.constants.back().first == e.node.inputs.at(1);
  const Tensor pads = made ? e.constants.back().second : e.known(1, "pads").aligned();
  const auto list = pads.data<std::int64_t>();
  e.node.attributes.set("pads", std::vector<std::int64_t>(list.begin(), list.end()));
  number_to_attribute(e, 2, "value");
  if (made) e.constants.pop_back();
  e.drop_inputs_from(1);
}

void slice_to_attributes(Export& e) {
  if (e.has_input(4))
    for (std::int64_t step : e.known_integers(4, "steps"))
      if (step != 1) e.unsupported("with steps");
  e.node.attributes.set("starts", e.known_integers(1, "starts"));
  e.node.attributes.set("ends", e.known_integers(2, "ends"));
  if (e.has_input(3))
    e.node.attributes.set("axes", from_front(e.known_integers(3, "axes"), rank_of(e, 0)));
  e.drop_inputs_from(1);
}

void top_k_to_attribute(Export& e) {
  const auto k = e.known_integers(1, "k");
  if (k.size() != 1) e.unsupported("with another k than one number");
  e.node.attributes.set("k", k[0]);
  e.drop_inputs_from(1);
}

/// Older opsets have no `num_outputs`, only equal parts and given sizes.
void split_by_sizes(Export& e) {
  e.node.attributes.erase("num_outputs");
  if (e.has_input(1)) return;
  const Dims& dims = e.type(0).dims;
  std::int64_t axis = e.node.attributes.integer("axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  const auto parts = static_cast<std::int64_t>(e.node.outputs.size());
  const std::int64_t whole = dims.at(static_cast<std::size_t>(axis));
  if (whole % parts == 0) return;
  const std::int64_t part = whole / parts + 1;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = whole - part * (parts - 1);
  e.set_input(1, "split", Tensor::of<std::int64_t>({parts}, std::span<const std::int64_t>(sizes)));
}

void split_to_attribute(Export& e) {
  if (!e.has_input(1)) return;
  const bool made = !e.constants.empty() && e.constants.back().first == e.node.inputs[1];
  const Tensor sizes = made ? e.constants.back().second : e.known(1, "split").aligned();
  const auto list = sizes.data<std::int64_t>();
  e.node.attributes.set("split", std::vector<std::int64_t>(list.begin(), list.end()));
  if (made) e.constants.pop_back();
  e.drop_inputs_from(1);
}

void dropout_ratio_to_attribute(Export& e) {
  if (e.has_input(2) && known_number(e, 2, "training_mode") != 0) e.unsupported("for training");
  if (e.has_input(1)) e.node.attributes.set("ratio", known_number(e, 1, "ratio"));
  e.node.attributes.erase("seed");
  e.drop_inputs_from(1);
}

void dft_axis_to_attribute(Export& e) {
  std::int64_t axis = -2;
  if (e.has_input(2)) axis = e.known_integers(2, "axis").at(0);
  e.node.attributes.set("axis", axis < 0 ? axis + rank_of(e, 0) : axis);
  e.drop_inputs_from(2);
}

void softmax_over_last_axis(Export& e) {
  const std::int64_t rank = rank_of(e, 0);
  std::int64_t axis = e.node.attributes.integer("axis", -1);
  if (axis < 0) axis += rank;
  e.node.attributes.set("axis", std::max<std::int64_t>(rank - 1, 0));
  if (axis >= rank - 1) return;
  // The older form normalises all axes from `axis` on, so the one meant is put last.
  std::vector<std::int64_t> swapped(static_cast<std::size_t>(rank));
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped.at(static_cast<std::size_t>(axis)), swapped.back());
  const auto transpose = [&](const std::string& from, const std::string& to) {
    return ExportNode{.name = e.node.name + "/transpose",
                      .op = "Transpose",
                      .attributes = {{"perm", swapped}},
                      .inputs = {from},
                      .outputs = {to}};
  };
  const std::string first = e.fresh_name(e.node.outputs.at(0) + "/last");
  const std::string second = e.fresh_name(e.node.outputs.at(0) + "/normalised");
  e.before.push_back(transpose(e.node.inputs.at(0), first));
  e.after.push_back(transpose(second, e.node.outputs.at(0)));
  e.node.inputs[0] = first;
  e.node.outputs[0] = second;
}

// Opset 18 scales groups, not channels: normalise groups as channels of an InstanceNormalization,
// then scale.
void group_norm_to_instance_norm(Export& e) {
  const Dims& dims = e.type(0).dims;
  const std::int64_t groups = e.node.attributes.integer("num_groups", 1);
  if (e.type(0).element != ElementType::F32) e.unsupported("on elements other than f32");
  if (e.type(1).dims.size() != 1) e.unsupported("with this scale");
  Dims channels(dims.size() - 1, 1);
  channels[0] = dims.at(1);
  const auto shape = [&](const char* what, const Dims& list) {
    const std::string name = e.fresh_name(e.node.outputs.at(0) + "/" + what);
    const Dims length = {static_cast<std::int64_t>(list.size())};
    e.constants.emplace_back(name,
                             Tensor::of<std::int64_t>(length, std::span<const std::int64_t>(list)));
    return name;
  };
  const auto value = [&](const char* what) {
    return e.fresh_name(e.node.outputs.at(0) + "/" + what);
  };
  const auto made = [&](const char* op, std::vector<std::string> inputs, std::string output) {
    return ExportNode{.name = e.node.name + "/" + op,
                      .op = op,
                      .attributes = {},
                      .inputs = std::move(inputs),
                      .outputs = {std::move(output)}};
  };
  const std::string grouped = value("grouped");
  const std::string normalised = value("normalised");
  const std::string restored = value("restored");
  const std::string scale = value("scale");
  const std::string bias = value("bias");
  const std::string scaled = value("scaled");
  e.before.push_back(made(
      "Reshape", {e.node.inputs.at(0), shape("group_shape", {dims.at(0), groups, -1})}, grouped));
  const std::string per_channel = shape("channel_shape", channels);
  e.after.push_back(made("Reshape", {normalised, shape("shape", dims)}, restored));
  e.after.push_back(made("Reshape", {e.node.inputs.at(1), per_channel}, scale));
  e.after.push_back(made("Reshape", {e.node.inputs.at(2), per_channel}, bias));
  e.after.push_back(made("Mul", {restored, scale}, scaled));
  e.after.push_back(made("Add", {scaled, bias}, e.node.outputs.at(0)));
  const Tensor zeros = Tensor::zeros({ElementType::F32, {groups}});
  const std::vector<float> ones(static_cast<std::size_t>(groups), 1.0F);
  e.node.op = "InstanceNormalization";
  e.node.inputs[0] = grouped;
  e.set_input(1, "ones", Tensor::of<float>({groups}, std::span<const float>(ones)));
  e.set_input(2, "zeros", zeros);
  e.node.attributes = {{"epsilon", e.node.attributes.real("epsilon", 1e-5F)}};
  e.node.outputs[0] = normalised;
}

void grid_sample_old_modes(Export& e) {
  const std::string mode = e.node.attributes.text("mode", "linear");
  if (mode == "linear") e.node.attributes.set("mode", std::string("bilinear"));
  if (mode == "cubic") e.node.attributes.set("mode", std::string("bicubic"));
}

void scatter_elements_to_scatter(Export& e) { e.node.op = "Scatter"; }

void resize_with_empty_inputs(Export& e) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (!e.has_input(i))
      e.set_input(i, i == 1 ? "roi" : "scales", Tensor::of<float>({0}, std::span<const float>()));
}

void resize_without_roi(Export& e) {
  const auto& attributes = e.node.attributes;
  const std::string mode = attributes.text("mode", "nearest");
  if (attributes.text("coordinate_transformation_mode", "half_pixel") != "asymmetric" ||
      (mode == "nearest" && attributes.text("nearest_mode", "round_prefer_floor") != "floor") ||
      mode == "cubic" || e.has_input(3))
    e.unsupported("with this coordinate transformation");
  e.constants.clear();
  e.node.inputs = {e.node.inputs.at(0), e.node.inputs.at(2)};
  e.node.attributes = {{"mode", mode}};
}

void resize_to_upsample(Export& e) {
  const Tensor scales = e.known(2, "scales").aligned();
  for (float scale : scales.data<float>())
    if (scale < 1) e.unsupported("that shrinks");
  e.node.op = "Upsample";
}

void upsample_scales_to_attribute(Export& e) {
  const Tensor scales = e.known(2, "scales").aligned();
  const auto list = scales.data<float>();
  e.node.attributes.set("scales", std::vector<float>(list.begin(), list.end()));
  e.drop_inputs_from(1);
}

void gemm_with_bias(Export& e) {
  if (e.has_input(2)) return;
  e.set_input(2, "zero", Tensor::zeros({e.type(0).element, {1}}));
}

void attention_without_lengths(Export& e) {
  if (e.has_input(6)) e.unsupported("with nonpad_kv_seqlen");
}

}  // namespace braid::onnx
