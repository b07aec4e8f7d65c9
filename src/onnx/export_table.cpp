#include "onnx/export_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/export_adapters.h"
#include "ops/catalog.h"

namespace braid::onnx {
namespace {

struct ExportRow {
  std::string_view op;
  int below;  ///< opsets before this one have the older form
  void (*adapt)(Export&);
};

/// The rows of an operator stand from the newest form to the oldest; each takes a step.
constexpr std::array kExports = {
    ExportRow{"Attention", 24, attention_without_lengths},
    ExportRow{"Clip", 11, clip_bounds_to_attributes},
    ExportRow{"DFT", 20, dft_axis_to_attribute},
    ExportRow{"Dropout", 12, dropout_ratio_to_attribute},
    ExportRow{"Gemm", 11, gemm_with_bias},
    ExportRow{"GridSample", 20, grid_sample_old_modes},
    ExportRow{"GroupNormalization", 21, group_norm_to_instance_norm},
    ExportRow{"Hardmax", 13, softmax_over_last_axis},
    ExportRow{"LogSoftmax", 13, softmax_over_last_axis},
    ExportRow{"Pad", 18, pad_all_axes},
    ExportRow{"Pad", 11, pads_to_attributes},
    ExportRow{"ReduceL1", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceL2", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceLogSum", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceLogSumExp", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceMax", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceMean", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceMin", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceProd", 18, reduce_axes_to_attribute},
    ExportRow{"ReduceSum", 13, reduce_axes_to_attribute},
    ExportRow{"ReduceSumSquare", 18, reduce_axes_to_attribute},
    ExportRow{"Resize", 13, resize_with_empty_inputs},
    ExportRow{"Resize", 11, resize_without_roi},
    ExportRow{"Resize", 10, resize_to_upsample},
    ExportRow{"Resize", 9, upsample_scales_to_attribute},
    ExportRow{"ScatterElements", 11, scatter_elements_to_scatter},
    ExportRow{"Slice", 10, slice_to_attributes},
    ExportRow{"Softmax", 13, softmax_over_last_axis},
    ExportRow{"Split", 18, split_by_sizes},
    ExportRow{"Split", 13, split_to_attribute},
    ExportRow{"Squeeze", 13, axes_to_attribute},
    ExportRow{"TopK", 10, top_k_to_attribute},
    ExportRow{"Unsqueeze", 13, axes_to_attribute},
};

/// Opsets in which operators that have no adapter, only another name, begin.
constexpr std::array kFirstOpsets = {std::pair{std::string_view("Scatter"), 9},
                                     std::pair{std::string_view("Upsample"), 7}};

/// An attribute that came later; before, the operator did what it now does with `as_before`.
struct NewAttribute {
  std::string_view op;
  std::string_view name;
  int since;
  Attribute as_before;
};

const std::vector<NewAttribute>& new_attributes() {
  using S = std::string;
  using I = std::int64_t;
  // A value that no attribute holds, so any value is too new.
  const Attribute never = std::vector<std::string>{};
  static const std::vector<NewAttribute> table = {
      {"ArgMax", "select_last_index", 12, I{0}},
      {"ArgMin", "select_last_index", 12, I{0}},
      {"Attention", "left_window_size", 25, I{-1}},
      {"Attention", "right_window_size", 25, I{-1}},
      {"AveragePool", "ceil_mode", 10, I{0}},
      {"AveragePool", "dilations", 19, I{1}},
      {"BatchNormalization", "training_mode", 14, I{0}},
      {"Cast", "round_mode", 24, S("up")},
      {"Cast", "saturate", 19, I{1}},
      {"CastLike", "round_mode", 24, S("up")},
      {"CastLike", "saturate", 19, I{1}},
      {"DepthToSpace", "mode", 11, S("DCR")},
      {"GRU", "layout", 14, I{0}},
      {"GatherND", "batch_dims", 12, I{0}},
      {"GroupNormalization", "stash_type", 21, I{1}},
      {"LSTM", "layout", 14, I{0}},
      {"LpPool", "ceil_mode", 18, I{0}},
      {"LpPool", "dilations", 18, I{1}},
      {"MaxPool", "ceil_mode", 10, I{0}},
      {"MaxPool", "dilations", 10, I{1}},
      {"MaxPool", "storage_order", 8, I{0}},
      {"RNN", "layout", 14, I{0}},
      {"Range", "stash_type", 27, I{1}},
      {"Reshape", "allowzero", 14, I{0}},
      {"Resize", "antialias", 18, I{0}},
      {"Resize", "keep_aspect_ratio_policy", 18, S("stretch")},
      {"Resize", "axes", 18, never},
      {"ScatterElements", "reduction", 16, S("none")},
      {"ScatterND", "reduction", 16, S("none")},
      {"Shape", "start", 15, I{0}},
      {"Shape", "end", 15, never},
      {"SpaceToDepth", "mode", 28, S("DCR")},
      {"TopK", "largest", 11, I{1}},
      {"TopK", "sorted", 11, I{1}},
  };
  return table;
}

/// Whether the values are the same; a list also equals a number that all its elements equal.
bool means(const Attribute& value, const Attribute& as_before) {
  if (value == as_before) return true;
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  const auto* number = std::get_if<std::int64_t>(&as_before);
  return list != nullptr && number != nullptr &&
         std::all_of(list->begin(), list->end(), [&](std::int64_t i) { return i == *number; });
}

void drop_new_attributes(Export& e) {
  for (const NewAttribute& attribute : new_attributes()) {
    if (attribute.op != e.original.op || e.opset >= attribute.since) continue;
    const Attribute* value = e.node.attributes.find(attribute.name);
    if (value == nullptr) continue;
    if (!means(*value, attribute.as_before))
      e.unsupported(fmt::format("with this value of '{}'", attribute.name));
    e.node.attributes.erase(attribute.name);
  }
}

/// Opsets before 11 count axes from the front only.
void count_axis_from_front(Export& e) {
  constexpr int kNegativeAxes = 11;
  const std::int64_t axis = e.node.attributes.integer("axis", 0);
  if (e.opset >= kNegativeAxes || axis >= 0 || !e.has_input(0)) return;
  e.node.attributes.set("axis", axis + static_cast<std::int64_t>(e.type(0).dims.size()));
}

int first_opset(const OpDef& def, std::string_view op) {
  for (const auto& [name, first] : kFirstOpsets)
    if (name == op) return first;
  return def.versions.front();
}

}  // namespace

const TensorType& Export::type(std::size_t input) const {
  return graph.value(original.inputs.at(input)).type;
}

Tensor Export::known(std::size_t input, std::string_view what) const {
  const ValueId value = original.inputs.at(input);
  if (graph.is_constant(value)) return graph.value(value).constant;
  const KnownValues& values = known_values();
  const auto found = values.find(value);
  if (found == values.end()) unsupported(fmt::format("with {} that the graph computes", what));
  return found->second;
}

std::vector<std::int64_t> Export::known_integers(std::size_t input, std::string_view what) const {
  const Tensor tensor = known(input, what);
  OpCall call;
  call.op = original.op;
  call.inputs = {&tensor.type()};
  call.known = {&tensor};
  return call.known_integers(0, what);
}

void Export::drop_inputs_from(std::size_t first) {
  if (node.inputs.size() > first) node.inputs.resize(first);
}

void Export::set_input(std::size_t i, const std::string& what, Tensor constant) {
  const std::string& own = node.name.empty() ? node.outputs.front() : node.name;
  if (node.inputs.size() <= i) node.inputs.resize(i + 1);
  node.inputs[i] = fresh_name(fmt::format("{}/{}", own, what));
  constants.emplace_back(node.inputs[i], std::move(constant));
}

void Export::unsupported(std::string_view what) const {
  raise(ErrorKind::Unsupported,
        fmt::format("{} {} cannot be written in opset {}", original.op, what, opset));
}

void translate(Export& e) {
  const OpDef& def = op_def(e.original.op);
  if (!def.domain.empty() || def.versions.empty()) e.unsupported("is not an ONNX operator and");
  drop_new_attributes(e);
  for (const ExportRow& row : kExports)
    if (row.op == e.original.op && e.opset < row.below) row.adapt(e);
  count_axis_from_front(e);
  if (first_opset(def, e.node.op) > e.opset) e.unsupported("came later and");
}

}  // namespace braid::onnx
