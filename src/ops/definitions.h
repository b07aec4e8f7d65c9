#pragma once

#include <array>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Each family file offers its operators by one of these; the table below is the catalogue.
std::vector<OpDef> activation_ops();
std::vector<OpDef> binary_ops();
std::vector<OpDef> cast_ops();
std::vector<OpDef> compare_ops();
std::vector<OpDef> select_ops();
std::vector<OpDef> unary_ops();
std::vector<OpDef> variadic_ops();
std::vector<OpDef> batch_norm_ops();
std::vector<OpDef> conv_ops();
std::vector<OpDef> dropout_ops();
std::vector<OpDef> gemm_ops();
std::vector<OpDef> global_pool_ops();
std::vector<OpDef> layer_norm_ops();
std::vector<OpDef> lrn_ops();
std::vector<OpDef> matmul_ops();
std::vector<OpDef> pool_ops();
std::vector<OpDef> softmax_ops();

using Family = std::vector<OpDef> (*)();
inline constexpr std::array kFamilies = {
    // clang-format off
    Family{activation_ops},
    Family{binary_ops},
    Family{cast_ops},
    Family{compare_ops},
    Family{select_ops},
    Family{unary_ops},
    Family{variadic_ops},
    Family{batch_norm_ops},
    Family{conv_ops},
    Family{dropout_ops},
    Family{gemm_ops},
    Family{global_pool_ops},
    Family{layer_norm_ops},
    Family{lrn_ops},
    Family{matmul_ops},
    Family{pool_ops},
    Family{softmax_ops},
    // clang-format on
};

}  // namespace braid
