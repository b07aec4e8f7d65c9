// Bytes as a file of moves. The first byte says for which graph: some with room for several rules,
// and those that prove the rules. Moves are refused, or the graph that they lead to verifies, stays
// within its limits and gives what the graph gave.

#include <array>

#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "optimise/moves_json.h"
#include "rewrite/canonicalise.h"
#include "rewrite/rules/proofs.h"
#include "rewrite/rules/whole_numbers.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_mutator.h"

namespace braid::fuzz {
namespace {

constexpr std::array kTexts = {
    R"(x: f32[1,8,5,5]
       a = Conv(x, u: f32[8,2,3,3], b: f32[8]) group=4 pads=[1,1,1,1]
       c = Conv(x, w: f32[8,1,1,1]) group=8
       s = Add(a, c)
       j = Concat(s, x) axis=1
       y = Relu(j))",
    R"(x: f32[1,4,6,6]
       a = Conv(x, u: f32[4,4,1,1])
       b = Conv(x, v: f32[4,4,3,3]) pads=[1,1,1,1]
       p = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
       j = Concat(a, b, p) axis=1
       r = Relu(j)
       y = Conv(r, w: f32[4,12,1,1]))",
    R"(x: f32[4,8]
       a = MatMul(x, u: f32[8,8])
       b = MatMul(x, v: f32[8,8])
       t = Mul(a, b)
       m = MatMul(t, w: f32[8,4])
       y = Relu(m))",
};
constexpr std::size_t kMostMoves = 20;

const std::vector<Graph>& graphs() {
  static const std::vector<Graph> made = [] {
    std::vector<Graph> list;
    for (const std::string_view text : kTexts) list.push_back(canonicalise(parse(text)).graph);
    for (const ProofCase& row : proof_cases()) list.push_back(canonicalise(parse(row.text)).graph);
    return list;
  }();
  return made;
}

RewriteLimits small_limits(const Graph& graph) {
  return {.constant_bytes = constant_bytes(graph) + (1 << 16),
          .nodes = graph.node_count() + 20,
          .rounds = 10,
          .moves = kMostMoves};
}

void check(const Graph& graph, std::string_view text) {
  const SavedMoves moves = moves_from_json(text);
  if (moves_from_json(to_json(moves)) != moves) fail("moves change when written and read");
  const RewriteLimits limits = small_limits(graph);
  RewrittenGraph rewritten(graph, limits);
  rewritten.replay(moves.rounds);
  verify(rewritten.graph());
  if (constant_bytes(rewritten.graph()) > limits.constant_bytes) fail("constants beyond the limit");
  if (const std::string problem = whole_difference(graph, rewritten.graph()); !problem.empty())
    fail(problem);
}

/// Every move that the graph allows at first, and a second behind it.
void add_seeds(const Graph& graph, char which, std::vector<std::string>& texts) {
  const NodePlaces places(graph);
  for (const SearchedRule& row : searched_rules())
    for (const NodeId anchor : graph.nodes_in_order())
      for (const Match& match : matches_at(row.rule, {graph, anchor, places})) {
        const Move move = move_of(row.rule, graph, match);
        texts.push_back(which + to_json(SavedMoves{.device = "cpu", .rounds = {{move}, {move}}}));
        texts.push_back(which + to_json(SavedMoves{.device = "cpu", .rounds = {{move}}}));
      }
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < graphs().size(); ++i)
    add_seeds(graphs()[i], static_cast<char>(i), texts);
  return texts;
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::fuzz;
  if (size == 0) return 0;
  const braid::Graph& graph = graphs()[data[0] % graphs().size()];
  attempt([&] { check(graph, text_of(data + 1, size - 1)); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return braid::fuzz::mutate_json_bytes(data, size, most, seed);
}
