#include "rewrite/rules/rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      merge_groups(),             // groups.cpp
      cut_depth(),                // cut_depth.cpp
      late_pieces(),              // late_pieces.cpp
      cut_convolution(),          // cuts.cpp
      cut_product(),              //
      part_siblings(),            //
      scale_into_weights(),       // scale.cpp
      scale_into_next_weights(),  //
      activate_before_concat(),   // commute.cpp
      // groups.cpp
      merge_groups(),
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
