#pragma once

#include "rewrite/canonicalise.h"

namespace braid {

// The rules of canonicalisation, a file each; the table below says when they run.
Rule cancel_split_concat();
Rule collapse_reshapes();
Rule collapse_transposes();
Rule einsum_products();
Rule drop_expands();
Rule fold_batch_norm();
Rule fold_constants();
Rule fold_pads();
Rule fold_scale();
Rule fuse_activation();
Rule fuse_bias();
Rule fuse_residual();
Rule join_branches();
Rule lift_gemms();
Rule merge_concats();
Rule recognise_gelu();
Rule recognise_layer_norm();
Rule remove_identities();

// Passes that look at the whole graph at once. They return the number of changes.
std::int64_t remove_dead(Graph& graph, Allowance& allowance);
std::int64_t merge_common_subexpressions(Graph& graph, Allowance& allowance);

/// The table: what canonicalise_phases() gives.
inline std::vector<CanonicalisePhase> phase_table() {
  return {
      // Clean up.
      {{"remove-dead", "drop what no output needs", remove_dead},
       step_of(fold_constants()),
       step_of(einsum_products()),
       step_of(remove_identities()),
       step_of(collapse_reshapes()),
       step_of(collapse_transposes()),
       step_of(drop_expands()),
       {"merge-common-subexpressions", "compute equal things once", merge_common_subexpressions},
       step_of(merge_concats()),
       step_of(cancel_split_concat())},
      // Recognise and fold.
      {step_of(recognise_gelu()), step_of(recognise_layer_norm()), step_of(fold_batch_norm()),
       step_of(fold_scale()), step_of(join_branches()), step_of(fold_pads()),
       step_of(lift_gemms())},
      // Fuse.
      {step_of(fuse_bias()), step_of(fuse_residual()), step_of(fuse_activation())},
  };
}

}  // namespace braid
