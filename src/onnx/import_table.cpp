#include "onnx/import_table.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/import_adapters.h"
#include "onnx/standard_operators.h"
#include "onnx/unsupported.h"
#include "ops/catalog.h"

namespace braid::onnx {
namespace {

struct ImportRow {
  std::string_view op;
  int below;  ///< opsets before this one have the older form
  void (*adapt)(Translation&);
};

constexpr int kAlways = 1000;

/// The rows of an operator stand from the oldest form to the newest; each takes a step.
constexpr std::array kImports = {
    ImportRow{"BatchNormalization", 9, drop_spatial},
    ImportRow{"BatchNormalization", 14, require_inference_batch_norm},
    ImportRow{"Clip", 11, clip_bounds_to_inputs},
    ImportRow{"DFT", 20, dft_axis_to_input},
    ImportRow{"Dropout", 12, dropout_ratio_to_input},
    ImportRow{"GridSample", 20, grid_sample_modes},
    ImportRow{"GroupNormalization", 21, group_norm_per_channel},
    ImportRow{"Hardmax", 13, softmax_over_trailing_axes},
    ImportRow{"LogSoftmax", 13, softmax_over_trailing_axes},
    ImportRow{"Pad", 11, pads_to_inputs},
    ImportRow{"ReduceL1", 18, axes_to_input},
    ImportRow{"ReduceL2", 18, axes_to_input},
    ImportRow{"ReduceLogSum", 18, axes_to_input},
    ImportRow{"ReduceLogSumExp", 18, axes_to_input},
    ImportRow{"ReduceMax", 18, axes_to_input},
    ImportRow{"ReduceMean", 18, axes_to_input},
    ImportRow{"ReduceMin", 18, axes_to_input},
    ImportRow{"ReduceProd", 18, axes_to_input},
    ImportRow{"ReduceSum", 13, axes_to_input},
    ImportRow{"ReduceSumSquare", 18, axes_to_input},
    ImportRow{"Resize", 11, resize_without_roi},
    ImportRow{"Resize", kAlways, resize_empty_inputs},
    ImportRow{"Scatter", 11, scatter_to_scatter_elements},
    ImportRow{"Slice", 10, slice_to_inputs},
    ImportRow{"Softmax", 13, softmax_over_trailing_axes},
    ImportRow{"Split", 13, split_to_input},
    ImportRow{"Split", 18, split_into_equal_parts},
    ImportRow{"Squeeze", 13, axes_to_input},
    ImportRow{"TopK", 10, top_k_to_input},
    ImportRow{"Unsqueeze", 13, axes_to_input},
    ImportRow{"Upsample", 9, upsample_scales_to_input},
    ImportRow{"Upsample", 10, upsample_to_resize},
};

[[noreturn]] void refuse_operator(const std::string& op, int opset) {
  const auto why = why_unsupported("", op, opset);
  if (find_standard_operator(op) == nullptr)
    raise(ErrorKind::Unsupported, fmt::format("operator {} is none of ONNX's (opset {}){}",
                                              quote(op), opset, explained(why)));
  raise(ErrorKind::Unsupported, fmt::format("operator {} of ONNX (opset {}) is not supported{}",
                                            quote(op), opset, explained(why)));
}

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
  for (const ImportRow& row : kImports)
    if (row.op == op && t.opset < row.below) row.adapt(t);
  const OpDef* def = find_op(t.node.op);
  if (def == nullptr || !def->domain.empty() || def->versions.empty()) refuse_operator(op, t.opset);
  if (t.node.op == op && def->versions.front() > t.opset)
    raise(ErrorKind::Model,
          fmt::format("operator {} came with opset {}, but the model uses opset {}", op,
                      def->versions.front(), t.opset));
  if (def->needs_expansion != nullptr && def->needs_expansion(t.node, t.opset))
    raise(ErrorKind::Model,
          fmt::format("the node has attributes that ONNX does not define for {}", op));
}

}  // namespace braid::onnx
