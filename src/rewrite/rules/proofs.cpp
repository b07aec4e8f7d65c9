#include "rewrite/rules/proofs.h"

#include <fmt/format.h>

#include "base/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "rewrite/canonicalise.h"
#include "rewrite/rules/whole_numbers.h"

namespace braid {
namespace {

constexpr std::uint32_t kProofSeeds = 3;

std::string problem_on_whole_numbers(const Graph& before, const Graph& after, std::uint32_t seeds) {
  for (std::uint32_t seed = 1; seed <= seeds; ++seed)
    if (std::string problem = whole_difference(before, after, seed); !problem.empty())
      return problem;
  return {};
}

/// Applies every match of the case; returns their number.
std::size_t prove_case(const Rule& rule, std::string_view text, std::string& problem) {
  const Graph graph = canonicalise(parse(text)).graph;
  const NodePlaces places(graph);
  std::size_t matches = 0;
  for (const NodeId anchor : graph.nodes_in_order())
    for (const Match& match : matches_at(rule, {graph, anchor, places})) {
      ++matches;
      const std::string found = prove(rule, graph, match, kProofSeeds).problem;
      if (problem.empty() && !found.empty())
        problem = fmt::format("{} at {}", found, quote(describe(graph, anchor)));
    }
  if (matches == 0 && problem.empty()) problem = "it matches nothing in one of its cases";
  return matches;
}

}  // namespace

ProvedMatch prove(const Rule& rule, const Graph& graph, const Match& match, std::uint32_t seeds) {
  Allowance allowance = allowance_of(graph);
  const auto edit = apply(rule, graph, match, allowance);
  if (!edit) return {.tidied = graph, .problem = "it matched and was not allowed"};
  Graph changed = graph;
  changed.apply(*edit);
  verify(changed);
  ProvedMatch proved{.tidied = tidy(changed)};
  proved.problem = problem_on_whole_numbers(graph, changed, seeds);
  if (!proved.problem.empty()) return proved;
  proved.problem = problem_on_whole_numbers(graph, proved.tidied, seeds);
  if (!proved.problem.empty()) proved.problem += ", once tidied";
  return proved;
}

RuleProof verify_rule(const SearchedRule& rule) {
  RuleProof proof;
  for (const ProofCase& row : proof_cases()) {
    if (row.rule != rule.rule.name) continue;
    ++proof.cases;
    proof.matches += prove_case(rule.rule, row.text, proof.problem);
  }
  if (proof.cases == 0) proof.problem = "it has no case that would prove it";
  return proof;
}

}  // namespace braid
