#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "rewrite/canonicalise.h"
#include "rewrite/rules/proofs.h"
#include "rewrite/rules/rules.h"
#include "rewrite/rules/whole_numbers.h"

/// For tests of rules that a search tries: every match of a rule in a graph, applied alone, must
/// leave the numbers as they were, exactly. Constants of parse() are small whole numbers, and so
/// are the inputs here: all sums are exact, in whatever order they are made.

namespace braid {

inline void expect_same_outputs(const Graph& before, const Graph& after, const std::string& what) {
  EXPECT_EQ(whole_difference(before, after, 1), "") << what << '\n'
                                                    << print(before) << "became\n"
                                                    << print(after);
}

struct Rewriting {
  Match match;
  Graph graph;  ///< tidied
};

/// Every way to apply the rule once, each proved on whole numbers, and not undone by
/// canonicalisation.
inline std::vector<Rewriting> rewritings(std::string_view rule, const Graph& graph) {
  const SearchedRule& searched = searched_rule(rule);
  std::vector<Rewriting> all;
  const NodePlaces places(graph);
  for (const NodeId anchor : graph.nodes_in_order())
    for (const Match& match : matches_at(searched.rule, {graph, anchor, places})) {
      auto [tidied, problem] = prove(searched.rule, graph, match);
      EXPECT_EQ(problem, "") << rule << '\n' << print(graph) << "became\n" << print(tidied);
      EXPECT_EQ(to_string(hash(tidied, HashWeights::Bytes)),
                to_string(hash(canonicalise(tidied).graph, HashWeights::Bytes)))
          << rule << ": canonicalising undoes it, or goes further\n"
          << print(tidied);
      all.push_back({match, std::move(tidied)});
    }
  return all;
}

/// The canonical graph of a text: what a search starts from.
inline Graph canonical_graph(std::string_view text) { return canonicalise(parse(text)).graph; }

/// The same of a text, printed: one for each match, in the order of anchors.
inline std::vector<std::string> rewritten_by(std::string_view rule, std::string_view text) {
  std::vector<std::string> printed;
  for (const Rewriting& one : rewritings(rule, canonical_graph(text)))
    printed.push_back(print(one.graph));
  return printed;
}

/// A graph's text without the elements of its constants.
inline std::string outline(const Graph& graph) { return print(graph, {.elements_in_full = 0}); }
inline std::string outline(std::string_view text) { return outline(parse(text)); }

/// Like rewritten_by, in outlines.
inline std::vector<std::string> outlined_by(std::string_view rule, std::string_view text) {
  std::vector<std::string> outlines;
  for (const Rewriting& one : rewritings(rule, canonical_graph(text)))
    outlines.push_back(outline(one.graph));
  return outlines;
}

/// The nodes of every match, the anchor first, by the names of what they make.
inline std::vector<std::string> members_by(std::string_view rule, std::string_view text) {
  const Graph graph = canonical_graph(text);
  std::vector<std::string> matches;
  for (const Rewriting& one : rewritings(rule, graph)) {
    std::string names = graph.value(graph.node(one.match.anchor).outputs[0]).name;
    for (const NodeId id : one.match.nodes)
      names += " " + graph.value(graph.node(id).outputs[0]).name;
    matches.push_back(std::move(names));
  }
  return matches;
}

}  // namespace braid
