#pragma once

#include "device/cpu/kernel.h"

namespace braid::cpu {

/// The ways to run operators on the CPU, besides their `evaluate`; device/cpu/kernels.cpp says
/// which operator tries which.
std::optional<Prepared> prepare_average_pool(const KernelCall& call);
std::optional<Prepared> prepare_batch_norm(const KernelCall& call);
std::optional<Prepared> prepare_chain(const OpCall& call);
std::optional<Prepared> prepare_concat(const OpCall& call);
std::optional<Prepared> prepare_concat_norm(const OpCall& call);
std::optional<Prepared> prepare_conv(const KernelCall& call);
std::optional<Prepared> prepare_conv_panels(const KernelCall& call);
std::optional<Prepared> prepare_copy(const OpCall& call);
std::optional<Prepared> prepare_gemm(const OpCall& call);
std::optional<Prepared> prepare_global_average_pool(const KernelCall& call);
std::optional<Prepared> prepare_identity(const KernelCall& call);
std::optional<Prepared> prepare_is_nan(const OpCall& call);
std::optional<Prepared> prepare_layer_norm(const OpCall& call);
std::optional<Prepared> prepare_log_softmax(const OpCall& call);
std::optional<Prepared> prepare_matmul(const KernelCall& call);
std::optional<Prepared> prepare_max_pool(const KernelCall& call);
std::optional<Prepared> prepare_pad(const KernelCall& call);
std::optional<Prepared> prepare_reorder(const KernelCall& call);
std::optional<Prepared> prepare_slice(const KernelCall& call);
std::optional<Prepared> prepare_softmax(const OpCall& call);
std::optional<Prepared> prepare_spatial_mean(const KernelCall& call);
std::optional<Prepared> prepare_transpose(const KernelCall& call);
std::optional<Prepared> prepare_where(const OpCall& call);

}  // namespace braid::cpu
