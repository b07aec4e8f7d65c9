#pragma once

#include <array>

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// The ways to run operators on the CPU, besides their `evaluate`; the table below says which
/// operator tries which.
std::optional<Way> prepare_arg(const KernelCall& call);
std::optional<Way> prepare_average_pool(const KernelCall& call);
std::optional<Way> prepare_batch_norm(const KernelCall& call);
std::optional<Way> prepare_cast(const OpCall& call);
std::optional<Way> prepare_chain(const OpCall& call);
std::optional<Way> prepare_compare(const OpCall& call);
std::optional<Way> prepare_concat(const OpCall& call);
std::optional<Way> prepare_concat_norm(const OpCall& call);
std::optional<Way> prepare_conv(const KernelCall& call);
std::optional<Way> prepare_conv_depthwise(const KernelCall& call);
std::optional<Way> prepare_conv_grouped(const KernelCall& call);
std::optional<Way> prepare_conv_image(const KernelCall& call);
std::optional<Way> prepare_conv_panels(const KernelCall& call);
std::optional<Way> prepare_conv_strassen(const KernelCall& call);
std::optional<Way> prepare_conv_winograd2(const KernelCall& call);
std::optional<Way> prepare_conv_winograd4(const KernelCall& call);
std::optional<Way> prepare_copy(const OpCall& call);
std::optional<Way> prepare_depth_to_space(const KernelCall& call);
std::optional<Way> prepare_expand(const KernelCall& call);
std::optional<Way> prepare_fused_attention(const KernelCall& call);
std::optional<Way> prepare_gather(const OpCall& call);
std::optional<Way> prepare_gemm(const OpCall& call);
std::optional<Way> prepare_gemm_of_library(const OpCall& call);
std::optional<Way> prepare_gemm_strassen(const OpCall& call);
std::optional<Way> prepare_global_average_pool(const KernelCall& call);
std::optional<Way> prepare_global_max_pool(const KernelCall& call);
std::optional<Way> prepare_group_norm(const OpCall& call);
std::optional<Way> prepare_identity(const KernelCall& call);
std::optional<Way> prepare_instance_norm(const OpCall& call);
std::optional<Way> prepare_integers(const OpCall& call);
std::optional<Way> prepare_is_nan(const OpCall& call);
std::optional<Way> prepare_layer_norm(const OpCall& call);
std::optional<Way> prepare_log_softmax(const OpCall& call);
std::optional<Way> prepare_logic(const OpCall& call);
std::optional<Way> prepare_lrn(const KernelCall& call);
std::optional<Way> prepare_matmul(const KernelCall& call);
std::optional<Way> prepare_matmul_of_library(const KernelCall& call);
std::optional<Way> prepare_matmul_strassen(const KernelCall& call);
std::optional<Way> prepare_max_pool(const KernelCall& call);
std::optional<Way> prepare_not(const OpCall& call);
std::optional<Way> prepare_pad(const KernelCall& call);
std::optional<Way> prepare_recurrent(const OpCall& call);
std::optional<Way> prepare_reduce(const KernelCall& call);
std::optional<Way> prepare_reorder(const KernelCall& call);
std::optional<Way> prepare_resize(const KernelCall& call);
std::optional<Way> prepare_rms_norm(const OpCall& call);
std::optional<Way> prepare_rotary(const KernelCall& call);
std::optional<Way> prepare_separable_apart(const KernelCall& call);
std::optional<Way> prepare_separable_in_one_pass(const KernelCall& call);
std::optional<Way> prepare_slice(const KernelCall& call);
std::optional<Way> prepare_softmax(const OpCall& call);
std::optional<Way> prepare_space_to_depth(const KernelCall& call);
std::optional<Way> prepare_spatial_mean(const KernelCall& call);
std::optional<Way> prepare_tile(const OpCall& call);
std::optional<Way> prepare_transpose(const KernelCall& call);
std::optional<Way> prepare_where(const OpCall& call);

enum class KernelOrders {
  RowMajor,  ///< the kernel takes and gives row-major values
  Any,       ///< the kernel is for row-major values, but may see others under permuted shapes
  Own        ///< the kernel says which orders it takes
};

/// A way to run an operator.
struct KernelRow {
  std::string_view op;
  KernelOrders orders;
  PrepareRowMajor prepare = nullptr;
  PrepareFunction prepare_own = nullptr;
};

constexpr KernelRow row_major(std::string_view op, PrepareRowMajor prepare) {
  return {op, KernelOrders::RowMajor, prepare, nullptr};
}
constexpr KernelRow any_order(std::string_view op, PrepareRowMajor prepare) {
  return {op, KernelOrders::Any, prepare, nullptr};
}
constexpr KernelRow own_order(std::string_view op, PrepareFunction prepare) {
  return {op, KernelOrders::Own, nullptr, prepare};
}

/// Rows of one operator are tried in order. Besides, every operator that could be a step of a Chain
/// can run as one.
inline constexpr auto kKernelRows = std::to_array<KernelRow>({
    any_order("Add", prepare_integers),
    any_order("And", prepare_logic),
    own_order("ArgMax", prepare_arg),
    own_order("ArgMin", prepare_arg),
    own_order("AveragePool", prepare_average_pool),
    own_order("BatchNormalization", prepare_batch_norm),
    any_order("Cast", prepare_cast),
    any_order("Chain", prepare_chain),
    any_order("Concat", prepare_concat),
    row_major("ConcatNormalization", prepare_concat_norm),
    own_order("Conv", prepare_conv_panels),
    own_order("Conv", prepare_conv_image),
    own_order("Conv", prepare_conv_depthwise),
    own_order("Conv", prepare_conv_grouped),
    own_order("Conv", prepare_conv_winograd4),
    own_order("Conv", prepare_conv_winograd2),
    own_order("Conv", prepare_conv_strassen),
    own_order("Conv", prepare_conv),
    own_order("DepthToSpace", prepare_depth_to_space),
    any_order("Div", prepare_integers),
    any_order("Dropout", prepare_copy),
    any_order("Equal", prepare_compare),
    own_order("Expand", prepare_expand),
    row_major("Flatten", prepare_copy),
    own_order("FusedAttention", prepare_fused_attention),
    row_major("GRU", prepare_recurrent),
    row_major("Gather", prepare_gather),
    row_major("Gemm", prepare_gemm),
    row_major("Gemm", prepare_gemm_of_library),
    row_major("Gemm", prepare_gemm_strassen),
    own_order("GlobalAveragePool", prepare_global_average_pool),
    own_order("GlobalMaxPool", prepare_global_max_pool),
    any_order("Greater", prepare_compare),
    any_order("GreaterOrEqual", prepare_compare),
    row_major("GroupNormalization", prepare_group_norm),
    own_order("Identity", prepare_identity),
    row_major("InstanceNormalization", prepare_instance_norm),
    any_order("IsNaN", prepare_is_nan),
    own_order("LRN", prepare_lrn),
    row_major("LSTM", prepare_recurrent),
    row_major("LayerNormalization", prepare_layer_norm),
    any_order("Less", prepare_compare),
    any_order("LessOrEqual", prepare_compare),
    any_order("LogSoftmax", prepare_log_softmax),
    own_order("MatMul", prepare_matmul),
    own_order("MatMul", prepare_matmul_of_library),
    own_order("MatMul", prepare_matmul_strassen),
    own_order("MaxPool", prepare_max_pool),
    any_order("Mul", prepare_integers),
    any_order("Not", prepare_not),
    any_order("Or", prepare_logic),
    own_order("Pad", prepare_pad),
    row_major("RMSNormalization", prepare_rms_norm),
    row_major("RNN", prepare_recurrent),
    own_order("ReduceL1", prepare_reduce),
    own_order("ReduceL2", prepare_reduce),
    own_order("ReduceMax", prepare_reduce),
    own_order("ReduceMean", prepare_spatial_mean),
    own_order("ReduceMean", prepare_reduce),
    own_order("ReduceMin", prepare_reduce),
    own_order("ReduceSum", prepare_reduce),
    own_order("ReduceSumSquare", prepare_reduce),
    row_major("Reshape", prepare_copy),
    own_order("Resize", prepare_resize),
    own_order("RotaryEmbedding", prepare_rotary),
    own_order("SeparableConv", prepare_separable_apart),
    own_order("SeparableConv", prepare_separable_in_one_pass),
    own_order("Slice", prepare_slice),
    any_order("Softmax", prepare_softmax),
    own_order("SpaceToDepth", prepare_space_to_depth),
    row_major("Squeeze", prepare_copy),
    any_order("Sub", prepare_integers),
    row_major("Tile", prepare_tile),
    own_order("Transpose", prepare_transpose),
    row_major("Unsqueeze", prepare_copy),
    own_order("Upsample", prepare_resize),
    any_order("Where", prepare_where),
    any_order("Xor", prepare_logic),
});

}  // namespace braid::cpu
