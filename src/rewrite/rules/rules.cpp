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
