#pragma once

#include "rewrite/rule.h"

namespace braid {

// The rules of canonicalisation, a file each.
Rule cancel_split_concat();
Rule collapse_reshapes();
Rule collapse_transposes();
Rule fold_batch_norm();
Rule fold_constants();
Rule fold_pads();
Rule fuse_activation();
Rule fuse_bias();
Rule fuse_residual();
Rule lift_gemms();
Rule merge_concats();
Rule recognise_gelu();
Rule recognise_layer_norm();
Rule remove_identities();

// Passes that look at the whole graph at once. They return the number of changes.
std::int64_t remove_dead(Graph& graph, Allowance& allowance);
std::int64_t merge_common_subexpressions(Graph& graph, Allowance& allowance);

}  // namespace braid
