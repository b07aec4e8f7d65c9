#pragma once

#include "device/cpu/kernel.h"

namespace braid::cpu {

/// The ways to run operators on the CPU, besides their `evaluate`; device/cpu/kernels.cpp says
/// which operator tries which.
std::optional<Prepared> prepare_add(const OpCall& call);
std::optional<Prepared> prepare_average_pool(const OpCall& call);
std::optional<Prepared> prepare_batch_norm(const OpCall& call);
std::optional<Prepared> prepare_concat(const OpCall& call);
std::optional<Prepared> prepare_conv_channels_last(const OpCall& call);
std::optional<Prepared> prepare_conv_row_major(const OpCall& call);
std::optional<Prepared> prepare_copy(const OpCall& call);
std::optional<Prepared> prepare_depthwise(const OpCall& call);
std::optional<Prepared> prepare_divide(const OpCall& call);
std::optional<Prepared> prepare_eltwise(const OpCall& call);
std::optional<Prepared> prepare_erf(const OpCall& call);
std::optional<Prepared> prepare_gemm(const OpCall& call);
std::optional<Prepared> prepare_layer_norm(const OpCall& call);
std::optional<Prepared> prepare_log_softmax(const OpCall& call);
std::optional<Prepared> prepare_matmul(const OpCall& call);
std::optional<Prepared> prepare_max_pool(const OpCall& call);
std::optional<Prepared> prepare_maximum(const OpCall& call);
std::optional<Prepared> prepare_minimum(const OpCall& call);
std::optional<Prepared> prepare_multiply(const OpCall& call);
std::optional<Prepared> prepare_pad(const OpCall& call);
std::optional<Prepared> prepare_relu(const OpCall& call);
std::optional<Prepared> prepare_slice(const OpCall& call);
std::optional<Prepared> prepare_softmax(const OpCall& call);
std::optional<Prepared> prepare_subtract(const OpCall& call);
std::optional<Prepared> prepare_transpose(const OpCall& call);

}  // namespace braid::cpu
