#include "rewrite/rules/rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<SearchedRule>& searched_rules() {
  static const std::vector<SearchedRule> rules = {
      merge_groups(),
      cut_depth(),
      scale_into_weights(),
      scale_into_next_weights(),
      activate_before_concat(),
      merge_groups(), activate_before_concat(), late_pieces(), cut_convolution(),
      cut_product(),  part_siblings(),
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
