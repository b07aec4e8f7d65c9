#pragma once

#include <string_view>
#include <vector>

#include "rewrite/rule.h"

namespace braid {

/// A rule that is not always worth it: a search tries it. It puts plain nodes; what they can take
/// in (an activation, a sum) tidy() fuses, so that a graph which was written to a
/// file and read again comes out the same.
struct SearchedRule {
  Rule rule;
  std::string_view family;  ///< "S1" to "S14", as docs/rules.md numbers them
  std::string_view proof;   ///< why both sides are equal, as an equation
  /// Whether it holds for every size of the batch and of the pixels, once it matched for one.
  bool for_any_size = true;
};

// One function for each rule, under the file that defines it.

// Groups of convolutions (groups.cpp).
SearchedRule merge_groups();
SearchedRule split_groups();
// A convolution as a sum of some that read a part of the channels each (cut_depth.cpp).
SearchedRule cut_depth();
// Convolutions of a concat, summed over its pieces (late_pieces.cpp).
SearchedRule late_pieces();
// Convolutions and products cut by what they make (cuts.cpp).
SearchedRule cut_convolution();
SearchedRule cut_product();
SearchedRule part_siblings();
// Factors that weights take in (scale.cpp).
SearchedRule scale_into_weights();
SearchedRule scale_into_next_weights();
// Factors of rows, behind the product (row_scale.cpp).
SearchedRule scale_rows_after_product();
// Convolutions of one value as one (siblings.cpp).
SearchedRule merge_siblings();
SearchedRule enlarge_siblings();
SearchedRule merge_grouped_siblings();
// Sums of convolutions as one (sums.cpp).
SearchedRule join_sum();
SearchedRule join_sum_of_same();
SearchedRule join_shortcut();
SearchedRule share_weights_of_sum();
// Convolutions of different values as one (parallel.cpp).
SearchedRule join_parallel();
SearchedRule batch_shared_weights();
// Products with constant matrices, several as one (merge_products.cpp).
SearchedRule merge_products();
SearchedRule merge_rows();
// Products with constant matrices as a batch (batch_products.cpp).
SearchedRule batch_products();
SearchedRule heads_as_batch();
// Sums of products with constant matrices (sum_products.cpp).
SearchedRule join_sum_of_products();
SearchedRule add_weights_of_products();
SearchedRule add_before_product();
SearchedRule multiply_late_piece_alone();
// Products with constant matrices, one behind the other (associate_products.cpp).
SearchedRule associate_products();
// Products of values, one behind the other (associate_matmuls.cpp).
SearchedRule associate_matmuls();
// Convolutions in a row as one (compose.cpp).
SearchedRule compose_depthwise_pointwise();
// Sums and products of single elements (elementwise.cpp).
SearchedRule factor_sum();
SearchedRule expand_product();
SearchedRule reassociate();
SearchedRule double_value();
// Activations that change places with Concat, Split and moves (commute.cpp).
SearchedRule activate_before_concat();
SearchedRule activate_after_concat();
SearchedRule activate_before_split();
SearchedRule activate_after_split();
SearchedRule activate_before_move();
SearchedRule activate_after_resize();
// Sums and products that change places with Concat (concat_sums.cpp).
SearchedRule add_after_concat();
SearchedRule add_before_concat();
// Pools that change places with activations, Concat and sums (commute_pools.cpp).
SearchedRule activate_before_pool();
SearchedRule activate_after_pool();
SearchedRule pool_before_concat();
SearchedRule pool_after_concat();
SearchedRule pool_after_add();
SearchedRule pool_before_add();
// Pools that change places with convolutions of single pixels, or become them
// (pointwise_pools.cpp).
SearchedRule pool_after_pointwise();
SearchedRule pool_before_pointwise();
SearchedRule pool_as_convolution();

/// The table: all of them.
const std::vector<SearchedRule>& searched_rules();
/// The rule of that name. Throws Usage, listing the names, if there is none.
const SearchedRule& searched_rule(std::string_view name);

}  // namespace braid
