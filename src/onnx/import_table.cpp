#include "onnx/import_table.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/import_adapters.h"
#include "ops/catalog.h"

namespace braid::onnx {
namespace {

struct Row {
  std::string_view op;
  int below;  ///< opsets before this one have the older form
  void (*adapt)(Translation&);
};

constexpr int kAlways = 1000;

/// The rows of an operator stand from the oldest form to the newest; each takes a step.
constexpr std::array kRows = {
    Row{"BatchNormalization", 9, drop_spatial},
    Row{"BatchNormalization", 14, require_inference_batch_norm},
    Row{"Clip", 11, clip_bounds_to_inputs},
    Row{"DFT", 20, dft_axis_to_input},
    Row{"Dropout", 12, dropout_ratio_to_input},
    Row{"GridSample", 20, grid_sample_modes},
    Row{"GroupNormalization", 21, group_norm_per_channel},
    Row{"Hardmax", 13, softmax_over_trailing_axes},
    Row{"LogSoftmax", 13, softmax_over_trailing_axes},
    Row{"Pad", 11, pads_to_inputs},
    Row{"ReduceL1", 18, axes_to_input},
    Row{"ReduceL2", 18, axes_to_input},
    Row{"ReduceLogSum", 18, axes_to_input},
    Row{"ReduceLogSumExp", 18, axes_to_input},
    Row{"ReduceMax", 18, axes_to_input},
    Row{"ReduceMean", 18, axes_to_input},
    Row{"ReduceMin", 18, axes_to_input},
    Row{"ReduceProd", 18, axes_to_input},
    Row{"ReduceSum", 13, axes_to_input},
    Row{"ReduceSumSquare", 18, axes_to_input},
    Row{"Resize", 11, resize_without_roi},
    Row{"Resize", kAlways, resize_empty_inputs},
    Row{"Scatter", 11, scatter_to_scatter_elements},
    Row{"Slice", 10, slice_to_inputs},
    Row{"Softmax", 13, softmax_over_trailing_axes},
    Row{"Split", 13, split_to_input},
    Row{"Split", 18, split_into_equal_parts},
    Row{"Squeeze", 13, axes_to_input},
    Row{"TopK", 10, top_k_to_input},
    Row{"Unsqueeze", 13, axes_to_input},
    Row{"Upsample", 9, upsample_scales_to_input},
    Row{"Upsample", 10, upsample_to_resize},
};

}  // namespace

const TensorType& Translation::type(std::size_t input) const {
  if (!has_input(input))
    raise(ErrorKind::Model, fmt::format("input {} of {} is missing", input, node.op));
  return builder.type(node.inputs[input]);
}

void Translation::set_input(std::size_t i, ValueId value) {
  if (node.inputs.size() <= i) node.inputs.resize(i + 1);
  node.inputs[i] = value;
}

std::string Translation::label(const std::string& what) const {
  const std::string& own = node.name.empty() ? outputs.front() : node.name;
  return fresh_name(fmt::format("{}/{}", own, what));
}

ValueId Translation::constant(const std::string& what, Tensor tensor) {
  return builder.constant(label(what), std::move(tensor));
}

ValueId Translation::integers(const std::string& what, const std::vector<std::int64_t>& list) {
  return builder.integers(label(what), list);
}

ValueId Translation::add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes,
                         const std::string& what) {
  return builder.add(op, std::move(inputs), std::move(attributes), label(what));
}

void translate(Translation& t) {
  const std::string op = t.node.op;
  for (const Row& row : kRows)
    if (row.op == op && t.opset < row.below) row.adapt(t);
  const OpDef* def = find_op(t.node.op);
  if (def == nullptr || !def->domain.empty() || def->versions.empty())
    raise(ErrorKind::Unsupported,
          fmt::format("operator {} of ONNX (opset {}) is not supported", quote(op), t.opset));
  if (t.node.op == op && def->versions.front() > t.opset)
    raise(ErrorKind::Model,
          fmt::format("operator {} came with opset {}, but the model uses opset {}", op,
                      def->versions.front(), t.opset));
  if (def->needs_expansion != nullptr && def->needs_expansion(t.node, t.opset))
    raise(ErrorKind::Model,
          fmt::format("the node has attributes that ONNX does not define for {}", op));
}

}  // namespace braid::onnx
