#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "ops/call.h"
#include "rewrite/canonicalise.h"
#include "rewrite/rules/rules.h"

/// For tests of rules that a search tries: every match of a rule in a graph, applied alone, must
/// leave the numbers as they were, exactly. Constants of parse() are small whole numbers, and so
/// are the inputs here: all sums are exact, in whatever order they are made.

namespace braid {

inline std::vector<Tensor> whole_inputs(const Graph& graph, std::uint32_t seed = 1) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    Tensor tensor = Tensor::uninitialised(graph.value(id).type);
    for (float& x : tensor.mutable_data<float>()) {
      seed = seed * 1664525U + 1013904223U;
      x = static_cast<float>(static_cast<int>(seed >> 24U) % 7 - 3);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

inline std::vector<Tensor> outputs_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> values = evaluate(graph, inputs);
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs()) outputs.push_back(values[output.value.at()]);
  return outputs;
}

/// Whether the tensors are identical, but for the signs of zeros.
inline bool same_numbers(const Tensor& a, const Tensor& b) {
  if (identical(a, b)) return true;
  return a.type() == b.type() && a.element() == ElementType::F32 &&
         std::ranges::equal(a.data<float>(), b.data<float>());
}

inline void expect_same_outputs(const Graph& before, const Graph& after, const std::string& what) {
  ASSERT_EQ(before.outputs().size(), after.outputs().size()) << what;
  const std::vector<Tensor> inputs = whole_inputs(before);
  const std::vector<Tensor> expected = outputs_of(before, inputs);
  const std::vector<Tensor> got = outputs_of(after, inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(before.outputs()[i].name, after.outputs()[i].name) << what;
    EXPECT_TRUE(same_numbers(expected[i], got[i]))
        << what << ": output " << before.outputs()[i].name << " differs\n"
        << print(before) << "became\n"
        << print(after);
  }
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
      Allowance allowance = allowance_of(graph);
      const auto edit = apply(searched.rule, graph, match, allowance);
      EXPECT_TRUE(edit) << rule << " matched and was not allowed";
      if (!edit) continue;
      Graph changed = graph;
      changed.apply(*edit);
      verify(changed);
      expect_same_outputs(graph, changed, std::string(rule));
      Graph tidied = tidy(changed);
      expect_same_outputs(graph, tidied, std::string(rule) + ", tidied");
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
