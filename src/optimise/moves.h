#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "rewrite/rules/rules.h"

namespace braid {

/// One application of a rule, by names: what is remembered of a rewriting, to be made again. A node
/// goes by the name of its first output.
struct Move {
  std::string rule;
  std::string anchor;
  std::vector<std::string> nodes = {};   ///< Match::nodes
  std::vector<std::string> values = {};  ///< Match::values
  std::vector<std::int64_t> parameters = {};

  bool operator==(const Move&) const = default;
};
/// Moves that are made one after another before the graph is tidied (rewrite/canonicalise.h).
using Round = std::vector<Move>;

Move move_of(const Rule& rule, const Graph& graph, const Match& match);

/// What the site of a match is but for its place: operators, attributes and types of its nodes.
Hash128 kind_of(const Graph& graph, const Match& match);

/// What rewriting a graph may cost: a hostile list of moves, or a rule that feeds itself, ends
/// here.
struct RewriteLimits {
  std::int64_t constant_bytes = 0;  ///< of all constants together
  std::size_t nodes = 0;
  std::size_t rounds = 1000;
  std::size_t moves = 100'000;  ///< of all rounds
};
/// Room for what the rules do to models that are worth it: constants of eight times the size or 256
/// MiB more, four times as many nodes or 1000 more.
RewriteLimits rewrite_limits(const Graph& original);

/// The bytes of all constants, made or promised.
std::int64_t constant_bytes(const Graph& graph);

/// A graph that moves change one by one. Not changed by moves that are not allowed.
class RewrittenGraph {
 public:
  /// `untidied` are steps of canonicalisation to do without, as the device has it.
  RewrittenGraph(Graph graph, const RewriteLimits& limits, std::vector<std::string> untidied = {});

  const Graph& graph() const { return graph_; }
  /// The graph itself, where nothing else is wanted any more.
  Graph take() && { return std::move(graph_); }
  /// The rounds so far; the last may still be open.
  const std::vector<Round>& rounds() const { return rounds_; }
  /// The kind of site that each move of each round was made at.
  const std::vector<std::vector<Hash128>>& kinds() const { return kinds_; }

  /// Applies a match that was found in this very graph; false, leaving it as it was, if a limit
  /// does not allow it.
  bool apply(const SearchedRule& rule, const Match& match);
  /// Tidies and ends the round, if it has moves.
  void end_round();

  /// Makes moves again that were remembered. Throws Model, naming the move, if one matches nothing
  /// here, and Quota if a limit does not allow it.
  void replay(const std::vector<Round>& rounds);
  /// Makes a remembered move again, if it matches something here and is allowed.
  bool try_again(const Move& move);

 private:
  Graph graph_;
  RewriteLimits limits_;
  std::vector<std::string> untidied_;
  std::vector<Round> rounds_;
  std::vector<std::vector<Hash128>> kinds_;
  std::size_t moves_ = 0;
  bool open_ = false;  // whether the last round goes on
};

/// The match that a move names; nothing if there is none.
std::optional<Match> find_match(const Graph& graph, const NodePlaces& places, const Move& move);

/// How often each rule stands in the moves, in the order of the table.
struct RuleCount {
  std::string name;
  std::int64_t count = 0;
};
std::vector<RuleCount> rule_counts(const std::vector<Round>& rounds);

}  // namespace braid
