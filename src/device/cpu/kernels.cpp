#include "device/cpu/kernels.h"

#include <algorithm>
#include <array>

#include "device/cpu/evaluate_kernel.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// The ways to run an operator, the best first. Rows of one operator are tried in order.
struct Row {
  std::string_view op;
  PrepareFunction prepare;
};

constexpr auto kRows = std::to_array<Row>({
    {"Add", prepare_add},
    {"AveragePool", prepare_average_pool},
    {"BatchNormalization", prepare_batch_norm},
    {"Concat", prepare_concat},
    {"Conv", prepare_depthwise},
    {"Conv", prepare_conv_channels_last},
    {"Conv", prepare_conv_row_major},
    {"Div", prepare_divide},
    {"Dropout", prepare_copy},
    {"Elu", prepare_eltwise},
    {"Erf", prepare_erf},
    {"Exp", prepare_eltwise},
    {"Flatten", prepare_copy},
    {"Gelu", prepare_eltwise},
    {"Gemm", prepare_gemm},
    {"HardSigmoid", prepare_eltwise},
    {"HardSwish", prepare_eltwise},
    {"Identity", prepare_copy},
    {"LayerNormalization", prepare_layer_norm},
    {"LeakyRelu", prepare_eltwise},
    {"LogSoftmax", prepare_log_softmax},
    {"MatMul", prepare_matmul},
    {"Max", prepare_maximum},
    {"MaxPool", prepare_max_pool},
    {"Min", prepare_minimum},
    {"Mul", prepare_multiply},
    {"Pad", prepare_pad},
    {"Relu", prepare_relu},
    {"Reshape", prepare_copy},
    {"Sigmoid", prepare_eltwise},
    {"Slice", prepare_slice},
    {"Softmax", prepare_softmax},
    {"Sqrt", prepare_eltwise},
    {"Squeeze", prepare_copy},
    {"Sub", prepare_subtract},
    {"Sum", prepare_add},
    {"Swish", prepare_eltwise},
    {"Tanh", prepare_eltwise},
    {"Transpose", prepare_transpose},
    {"Unsqueeze", prepare_copy},
});

bool has_elements(const TensorType& type) { return element_count(type) > 0; }

bool only_empty_outputs(const OpCall& call) {
  return std::none_of(call.outputs.begin(), call.outputs.end(), has_elements);
}

/// Kernels need not think about empty tensors.
bool has_empty_tensor(const OpCall& call) {
  return !std::all_of(call.outputs.begin(), call.outputs.end(), has_elements) ||
         std::any_of(call.inputs.begin(), call.inputs.end(), [](const TensorType* type) {
           return type != nullptr && !has_elements(*type);
         });
}

template <class Accept>
std::optional<Prepared> first_way(const OpCall& call, Accept accept) {
  if (only_empty_outputs(call)) {
    Prepared nothing = prepare_nothing();
    return accept(nothing) ? std::optional(std::move(nothing)) : std::nullopt;
  }
  if (!has_empty_tensor(call))
    for (const Row& row : kRows)
      if (row.op == call.op)
        if (auto prepared = row.prepare(call); prepared && accept(*prepared)) return prepared;
  auto prepared = prepare_evaluate(call);
  return accept(*prepared) ? std::move(prepared) : std::nullopt;
}

}  // namespace

Prepared prepare(const OpCall& call) {
  return *first_way(call, [](const Prepared&) { return true; });
}

std::optional<Prepared> prepare_as(const OpCall& call, std::string_view implementation) {
  return first_way(call, [&](const Prepared& p) { return p.implementation == implementation; });
}

}  // namespace braid::cpu
