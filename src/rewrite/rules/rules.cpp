#include "rewrite/rules/rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      merge_groups(),               // groups.cpp
      merge_siblings(),             // siblings.cpp
      enlarge_siblings(),           //
      merge_grouped_siblings(),     //
      join_parallel(),              // parallel.cpp
      batch_shared_weights(),       //
      join_sum(),                   // sums.cpp
      join_sum_of_same(),           //
      join_shortcut(),              //
      share_weights_of_sum(),       //
      late_pieces(),                // late_pieces.cpp
      cut_depth(),                  // cut_depth.cpp
      cut_convolution(),            // cuts.cpp
      cut_product(),                //
      part_siblings(),              //
      merge_products(),             // merge_products.cpp
      merge_rows(),                 //
      batch_products(),             // batch_products.cpp
      heads_as_batch(),             //
      join_sum_of_products(),       // sum_products.cpp
      add_weights_of_products(),    //
      add_before_product(),         //
      multiply_late_piece_alone(),  //
      associate_products(),         // reshape_products.cpp
      scale_into_weights(),         // scale.cpp
      scale_into_next_weights(),    //
      activate_before_concat(),     // commute.cpp
      // groups.cpp
      merge_groups(),
      merge_images(),
      split_groups(),
      // commute.cpp
      activate_before_concat(),
      // late_pieces.cpp
      late_pieces(),
      // cuts.cpp
      cut_convolution(),
      cut_product(),
      part_siblings(),
      // siblings.cpp
      merge_siblings(),
      enlarge_siblings(),
      merge_grouped_siblings(),
      // sums.cpp
      join_sum(),
      join_sum_of_same(),
      join_shortcut(),
      share_weights_of_sum(),
      // parallel.cpp
      join_parallel(),
      batch_shared_weights(),
      // compose.cpp
      compose_depthwise_pointwise(),
      merge_products(),
      merge_rows(),
      batch_products(),
      heads_as_batch(),
      join_sum_of_products(),
      add_weights_of_products(),
      add_before_product(),
      multiply_late_piece_alone(),
      associate_products(),
      cut_product(),
      associate_matmuls(),
      scale_into_weights(),
      scale_into_next_weights(),
      scale_rows_after_product(),
      factor_sum(),
      expand_product(),
      reassociate(),
      double_value(),
      activate_before_concat(),
      activate_after_concat(),
      activate_before_split(),
      activate_after_split(),
      activate_before_move(),
      activate_after_resize(),
      add_after_concat(),
      add_before_concat(),
      activate_before_pool(),
      activate_after_pool(),
      pool_before_concat(),
      pool_after_concat(),
      pool_after_add(),
      pool_before_add(),
      pool_after_pointwise(),
      pool_before_pointwise(),
      pool_as_convolution(),
  };
  return rules;
}

const SearchedRule& searched_rule(std::string_view name) {
  std::string names;
  for (const SearchedRule& row : searched_rules()) {
    if (row.rule.name == name) return row;
    names += fmt::format(" {}", row.rule.name);
  }
  raise(ErrorKind::Usage, fmt::format("there is no rule {}; the rules are:{}", quote(name), names));
}

}  // namespace braid
