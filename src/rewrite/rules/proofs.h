#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rewrite/rules/rules.h"

namespace braid {

/// A small graph, in text form, in which a rule matches.
struct ProofCase {
  std::string_view rule;
  std::string_view text;
};
/// The cases by which `braid rules --verify` proves the rules (proof_cases.cpp); every rule has one
/// at least.
std::span<const ProofCase> proof_cases();

/// A match that was applied to a graph, and what came of it.
struct ProvedMatch {
  Graph tidied;
  std::string problem = {};  ///< in a sentence; empty: the numbers are as they were, to the bit
};
/// Applies a match that was found in this graph and compares whole numbers of `seeds` seeds, before
/// and after the graph is tidied.
ProvedMatch prove(const Rule& rule, const Graph& graph, const Match& match,
                  std::uint32_t seeds = 1);

/// All that was tried of a rule.
struct RuleProof {
  std::size_t cases = 0;
  std::size_t matches = 0;
  std::string problem = {};  ///< the first; empty: all were equal
};
/// Applies every match of the rule in every case of its own. A rule without a case, and a case
/// without a match, prove nothing, which is a problem too.
RuleProof verify_rule(const SearchedRule& rule);

}  // namespace braid
