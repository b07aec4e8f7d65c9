#include "rewrite/rules/proofs.h"

#include <set>

#include <gtest/gtest.h>

#include "ops/builder.h"

namespace braid {
namespace {

TEST(Proofs, HoldForEveryRule) {
  for (const SearchedRule& rule : searched_rules()) {
    const RuleProof proof = verify_rule(rule);
    EXPECT_EQ(proof.problem, "") << rule.rule.name;
    EXPECT_GE(proof.matches, proof.cases) << rule.rule.name;
  }
}

TEST(SearchedRules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const SearchedRule& rule : searched_rules())
    EXPECT_TRUE(names.insert(rule.rule.name).second) << rule.rule.name;
}

TEST(Proofs, HaveNoCaseOfARuleThatIsGone) {
  for (const ProofCase& row : proof_cases()) EXPECT_NO_THROW(searched_rule(row.rule));
}

TEST(Proofs, NameWhatDiffers) {
  SearchedRule wrong = searched_rule("merge-groups");
  wrong.rule.build = [](const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
    const ValueId output = graph.node(match.anchor).outputs[0];
    Node node{.name = {},
              .op = "Neg",
              .attributes = {},
              .inputs = {output},
              .outputs = {},
              .lowering = {}};
    edit.replace(output, edit.add_node(std::move(node), {graph.value(output).type})[0]);
    return true;
  };
  EXPECT_NE(verify_rule(wrong).problem.find("output 'y' differs on whole numbers of seed 1"),
            std::string::npos);
}

TEST(Proofs, AreMissingForAnUnknownRule) {
  SearchedRule unknown = searched_rule("merge-groups");
  unknown.rule.name = "unknown";
  EXPECT_EQ(verify_rule(unknown).problem, "it has no case that would prove it");
}

}  // namespace
}  // namespace braid
