#pragma once

#include <array>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Each family file offers its operators by one of these; the table below is the catalogue.
std::vector<OpDef> activation_ops();
std::vector<OpDef> arg_ops();
std::vector<OpDef> attention_ops();
std::vector<OpDef> batch_norm_ops();
std::vector<OpDef> binary_ops();
std::vector<OpDef> cast_ops();
std::vector<OpDef> chain_ops();
std::vector<OpDef> compare_ops();
std::vector<OpDef> concat_norm_ops();
std::vector<OpDef> concat_ops();
std::vector<OpDef> constant_ops();
std::vector<OpDef> conv_ops();
std::vector<OpDef> conv_transpose_ops();
std::vector<OpDef> cumulative_ops();
std::vector<OpDef> depth_to_space_ops();
std::vector<OpDef> dft_ops();
std::vector<OpDef> diagonal_ops();
std::vector<OpDef> dropout_ops();
std::vector<OpDef> einsum_ops();
std::vector<OpDef> fused_attention_ops();
std::vector<OpDef> gather_ops();
std::vector<OpDef> gemm_ops();
std::vector<OpDef> global_pool_ops();
std::vector<OpDef> grid_sample_ops();
std::vector<OpDef> group_norm_ops();
std::vector<OpDef> layer_norm_ops();
std::vector<OpDef> lrn_ops();
std::vector<OpDef> matmul_ops();
std::vector<OpDef> one_hot_ops();
std::vector<OpDef> pad_ops();
std::vector<OpDef> pool_ops();
std::vector<OpDef> recurrent_ops();
std::vector<OpDef> reduce_ops();
std::vector<OpDef> repeat_ops();
std::vector<OpDef> resize_ops();
std::vector<OpDef> reverse_ops();
std::vector<OpDef> rotary_embedding_ops();
std::vector<OpDef> scatter_elements_ops();
std::vector<OpDef> scatter_nd_ops();
std::vector<OpDef> select_ops();
std::vector<OpDef> separable_conv_ops();
std::vector<OpDef> shape_ops();
std::vector<OpDef> signal_window_ops();
std::vector<OpDef> slice_ops();
std::vector<OpDef> softmax_ops();
std::vector<OpDef> tensor_scatter_ops();
std::vector<OpDef> top_k_ops();
std::vector<OpDef> unary_ops();
std::vector<OpDef> variadic_ops();

using Family = std::vector<OpDef> (*)();
inline constexpr auto kFamilies = std::to_array<Family>({
    activation_ops,
    arg_ops,
    attention_ops,
    batch_norm_ops,
    binary_ops,
    cast_ops,
    chain_ops,
    compare_ops,
    concat_norm_ops,
    concat_ops,
    constant_ops,
    conv_ops,
    conv_transpose_ops,
    cumulative_ops,
    depth_to_space_ops,
    dft_ops,
    diagonal_ops,
    dropout_ops,
    einsum_ops,
    fused_attention_ops,
    gather_ops,
    gemm_ops,
    global_pool_ops,
    grid_sample_ops,
    group_norm_ops,
    layer_norm_ops,
    lrn_ops,
    matmul_ops,
    one_hot_ops,
    pad_ops,
    pool_ops,
    recurrent_ops,
    reduce_ops,
    repeat_ops,
    resize_ops,
    reverse_ops,
    rotary_embedding_ops,
    scatter_elements_ops,
    scatter_nd_ops,
    select_ops,
    separable_conv_ops,
    shape_ops,
    signal_window_ops,
    slice_ops,
    softmax_ops,
    tensor_scatter_ops,
    top_k_ops,
    unary_ops,
    variadic_ops,
});

}  // namespace braid
