#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rewrite/rules/rules.h"

// docs/rules.md is made of the table: where they differ, the page as it should be is left in a file
// beside the message.

namespace braid {
namespace {

struct Family {
  std::string_view name;
  std::string_view title;
};

constexpr Family kFamilies[] = {
    {"S1", "Convolutions of one value by equal kernels"},
    {"S2", "Convolutions of one value by unequal kernels"},
    {"S3", "Grouped convolutions of one value"},
    {"S4", "Groups of a convolution"},
    {"S5", "Convolutions of different values as groups of one"},
    {"S6", "Sums of convolutions of different values"},
    {"S7", "Sums of convolutions of one value"},
    {"S8", "Sums of convolutions by the same weights"},
    {"S9", "Convolutions by the same weights as a batch"},
    {"S10", "Matrix products"},
    {"S11", "Sums, products and factors element by element"},
    {"S12", "Operators that change places"},
    {"S13", "Cuts: the inverse of merging, for devices that are idle beside an operator"},
    {"S14", "Convolutions in a row"},
};

constexpr std::string_view kHead = R"(# Rules of the search

Made of the table in `src/rewrite/rules/rules.cpp`; `rewrite_test` compares it. These rules are not always worth it: the stage
*optimised* tries them ([how](optimising.md), [how to add one](adding-a-rule.md)).
What stands left of the equality sign becomes what stands right of it. `conv(x, w, g)` is a convolution in g groups; `[u; v]` are rows, or
output channels, and `[u|v]` columns, or input channels, behind one another. Rules that hold for *one size* only were matched with one size of the batch and
of the pixels, and may not hold for another. Activations, biases and residuals that a convolution or product does on the way are taken along or
done afterwards; tidying fuses them again.
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) result += letter == '|' ? "\\|" : std::string(1, letter);
  return result;
}

std::string wanted_page() {
  std::string page(kHead);
  for (const Family& family : kFamilies) {
    page += fmt::format(
        "\n## {}: {}\n\n| rule | what it does | because | holds for |\n|---|---|---|---|\n",
        family.name, family.title);
    for (const SearchedRule& row : searched_rules())
      if (row.family == family.name)
        page += fmt::format("| `{}` | {} | `{}` | {} |\n", row.rule.name, escaped(row.rule.help),
                            escaped(row.proof), row.for_any_size ? "any size" : "one size");
  }
  return page;
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RulesPage, EveryRuleIsOfAFamily) {
  for (const SearchedRule& row : searched_rules()) {
    bool found = false;
    for (const Family& family : kFamilies) found |= family.name == row.family;
    EXPECT_TRUE(found) << row.rule.name << " is of " << row.family;
  }
}

TEST(RulesPage, SaysWhatTheTableSays) {
  const std::string wanted = wanted_page();
  if (text_of_file("docs/rules.md") == wanted) return;
  const std::string path = testing::TempDir() + "rules.md";
  std::ofstream(path) << wanted;
  FAIL() << "docs/rules.md is out of date: cp " << path << " docs/rules.md";
}

}  // namespace
}  // namespace braid
