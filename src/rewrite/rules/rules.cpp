#include "rewrite/rules/rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      merge_groups(),
      merge_images(),
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
