#include "rewrite/rules/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      merge_groups(),                 // groups.cpp
      cut_depth(),                    // cut_depth.cpp
      split_groups(),                 // groups.cpp
      late_pieces(),                  // late_pieces.cpp
      cut_convolution(),              // cuts.cpp
      cut_product(),                  //
      part_siblings(),                //
      scale_into_weights(),           // scale.cpp
      scale_into_next_weights(),      //
      scale_rows_after_product(),     // row_scale.cpp
      merge_siblings(),               // siblings.cpp
      enlarge_siblings(),             //
      merge_grouped_siblings(),       //
      join_sum(),                     // sums.cpp
      join_sum_of_same(),             //
      join_shortcut(),                //
      share_weights_of_sum(),         //
      join_parallel(),                // parallel.cpp
      batch_shared_weights(),         //
      merge_products(),               // merge_products.cpp
      merge_rows(),                   //
      batch_products(),               // batch_products.cpp
      heads_as_batch(),               //
      join_sum_of_products(),         // sum_products.cpp
      add_weights_of_products(),      //
      add_before_product(),           //
      multiply_late_piece_alone(),    //
      associate_products(),           // associate_products.cpp
      associate_matmuls(),            // associate_matmuls.cpp
      compose_depthwise_pointwise(),  // compose.cpp
      factor_sum(),                   // elementwise.cpp
      expand_product(),               //
      reassociate(),                  //
      double_value(),                 //
      activate_before_concat(),       // commute.cpp
      activate_after_concat(),        //
      activate_before_split(),        //
      activate_after_split(),         //
      activate_before_move(),         //
      activate_after_resize(),        //
      add_after_concat(),             // concat_sums.cpp
      add_before_concat(),            //
      activate_before_pool(),         // commute_pools.cpp
      activate_after_pool(),          //
      pool_before_concat(),           //
      pool_after_concat(),            //
      pool_after_add(),               //
      pool_before_add(),              //
      pool_after_pointwise(),         // pointwise_pools.cpp
      pool_before_pointwise(),        //
      pool_as_convolution(),          //
  };
  return rules;
}

const SearchedRule& searched_rule(std::string_view name) {
  std::vector<std::string> names;
  for (const SearchedRule& row : searched_rules()) {
    if (row.rule.name == name) return row;
    names.emplace_back(row.rule.name);
  }
  raise(ErrorKind::Usage, fmt::format("there is no rule {}; the rules are: {}{}", quote(name),
                                      fmt::join(names, " "), did_you_mean(name, names)));
}

}  // namespace braid
