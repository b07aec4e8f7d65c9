#pragma once

#include "rewrite/canonicalise.h"

namespace braid {

std::int64_t remove_dead(Graph& graph, Allowance& allowance);
std::int64_t fold_constants(Graph& graph, Allowance& allowance);
std::int64_t remove_identities(Graph& graph, Allowance& allowance);
std::int64_t merge_common_subexpressions(Graph& graph, Allowance& allowance);
std::int64_t collapse_reshapes(Graph& graph, Allowance& allowance);
std::int64_t collapse_transposes(Graph& graph, Allowance& allowance);
std::int64_t lift_gemms(Graph& graph, Allowance& allowance);
std::int64_t merge_concats(Graph& graph, Allowance& allowance);
std::int64_t cancel_split_concat(Graph& graph, Allowance& allowance);
std::int64_t fold_batch_norm(Graph& graph, Allowance& allowance);
std::int64_t fold_pads(Graph& graph, Allowance& allowance);
std::int64_t recognise_gelu(Graph& graph, Allowance& allowance);
std::int64_t recognise_layer_norm(Graph& graph, Allowance& allowance);
std::int64_t fuse_bias(Graph& graph, Allowance& allowance);
std::int64_t fuse_residual(Graph& graph, Allowance& allowance);
std::int64_t fuse_activation(Graph& graph, Allowance& allowance);

}  // namespace braid
