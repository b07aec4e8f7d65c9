#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/rule_uses.h"
#include "cli/table.h"
#include "rewrite/rules/proofs.h"

namespace braid::cli {
namespace {

struct RulesArguments {
  bool verify = false;
  ProfileOptions cache;
  JsonOutput json;
};

/// A rule, with what was counted and proved of it.
struct RuleRow {
  const SearchedRule& rule;
  RuleUse use;
  RuleProof proof;
};

bool all_equal(const std::vector<RuleRow>& rows) {
  return std::ranges::all_of(rows, [](const RuleRow& row) { return row.proof.problem.empty(); });
}

std::vector<RuleRow> rule_rows(const RulesArguments& options) {
  const std::vector<RuleUse> uses = known_rule_uses(options.cache);
  const Progress progress = progress_line(false);
  std::vector<RuleRow> rows;
  for (const SearchedRule& rule : searched_rules()) {
    report(progress, "proving rules", static_cast<std::int64_t>(rows.size()),
           static_cast<std::int64_t>(searched_rules().size()));
    const auto use = std::ranges::find(uses, rule.rule.name, &RuleUse::name);
    rows.push_back({rule, use == uses.end() ? RuleUse{.name = {}} : *use,
                    options.verify ? verify_rule(rule) : RuleProof{}});
  }
  return rows;
}

nlohmann::ordered_json json_of(const RuleRow& row, bool verified) {
  nlohmann::ordered_json out = {{"name", row.rule.rule.name},
                                {"family", row.rule.family},
                                {"help", row.rule.rule.help},
                                {"proof", row.rule.proof},
                                {"for_any_size", row.rule.for_any_size},
                                {"fired", row.use.fired},
                                {"gained", row.use.gained}};
  if (!verified) return out;
  out["cases"] = row.proof.cases;
  out["matches"] = row.proof.matches;
  out["equal"] = row.proof.problem.empty();
  if (!row.proof.problem.empty()) out["problem"] = row.proof.problem;
  return out;
}

std::string list_text(const std::vector<RuleRow>& rows) {
  Table table({"rule", "family", "fired", "gained", "what it does", "why both sides are equal"});
  for (const RuleRow& row : rows)
    table.add({std::string(row.rule.rule.name), std::string(row.rule.family),
               grouped(row.use.fired), grouped(row.use.gained), std::string(row.rule.rule.help),
               std::string(row.rule.proof)});
  return table.text() +
         "\nfired: moves in graphs that `optimize` kept; gained: searches that kept one\n";
}

std::string proofs_text(const std::vector<RuleRow>& rows) {
  Table table({"rule", "cases", "matches", "on whole numbers"});
  for (const RuleRow& row : rows)
    table.add({std::string(row.rule.rule.name), fmt::format("{}", row.proof.cases),
               fmt::format("{}", row.proof.matches),
               row.proof.problem.empty() ? "equal" : "DIFFERS: " + row.proof.problem});
  return table.text();
}

int show_rules(const RulesArguments& options) {
  const std::vector<RuleRow> rows = rule_rows(options);
  if (options.json.wanted()) {
    auto list = nlohmann::ordered_json::array();
    for (const RuleRow& row : rows) list.push_back(json_of(row, options.verify));
    options.json.write(json_text({{"rules", std::move(list)}}));
  }
  if (!options.json.replaces_text())
    fmt::print("{}", options.verify ? proofs_text(rows) : list_text(rows));
  return all_equal(rows) ? 0 : exit_code(ErrorKind::Mismatch);
}

}  // namespace

Action configure_rules(OptionSet& add) {
  auto options = std::make_shared<RulesArguments>();
  add.flag("--verify", options->verify,
           "Prove every rule again, on small graphs of whole numbers, where nothing is rounded");
  add_cache_options(add, options->cache);
  add.section(Section::Print);
  add.json(options->json, "Print JSON", ends_in_json);
  return [options] { return show_rules(*options); };
}

}  // namespace braid::cli
