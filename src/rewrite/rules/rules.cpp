#include "rewrite/rules/rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      // groups.cpp
      merge_groups(),
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
