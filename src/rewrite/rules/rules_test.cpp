#include "rewrite/rules/rules.h"

#include <set>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(SearchedRules, EachIsInTheTableOnceAndSaysWhyItHolds) {
  std::set<std::string_view> names;
  for (const SearchedRule& row : searched_rules()) {
    EXPECT_TRUE(names.insert(row.rule.name).second) << row.rule.name;
    EXPECT_TRUE(row.family.starts_with("S")) << row.rule.name;
    EXPECT_FALSE(row.proof.empty()) << row.rule.name;
    EXPECT_EQ(&searched_rule(row.rule.name), &row);
  }
}

}  // namespace
}  // namespace braid
