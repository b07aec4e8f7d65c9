#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "optimise/moves.h"

namespace braid {

/// What is kept of a rewriting: never a graph and never weights, only moves that are looked for
/// again among the matches of the rules.
struct SavedMoves {
  Hash128 graph = {};       ///< of the canonical graph they begin with, by HashWeights::TypesOnly
  std::string device = {};  ///< for which they were found worth it
  std::vector<Round> rounds = {};

  bool operator==(const SavedMoves&) const = default;
};

/// How much a file of moves may ask for, before a rule is tried.
struct SavedMovesLimits {
  std::size_t bytes = std::size_t{1} << 24;  ///< of the text
  std::size_t rounds = 1000;
  std::size_t moves = 100'000;       ///< of all rounds
  std::size_t list = 10'000;         ///< nodes, values or parameters of a move
  std::size_t name_bytes = 1 << 16;  ///< of any one name
};

/// The JSON form of moves, a move per line:
///
///     {
///       "braid_moves": 1,
///       "graph": "7ac21f…",                     32 digits: the canonical graph's hash without
///       weights "device": "sim:a100", "rounds": [
///         [
///           {"rule":"merge-groups","anchor":"conv_3","nodes":[],"values":[],"parameters":[4]}
///         ]
///       ]
///     }
///
/// A node goes by the name of its first output. A name that starts with "#" or is not UTF-8 stands
/// as "#" and its bytes in hexadecimal digits.
std::string to_json(const SavedMoves& moves);

/// Reads the JSON form. Throws Model, saying where ("rounds[0][2].anchor: …"), and Quota for what
/// is larger than the limits.
SavedMoves moves_from_json(std::string_view text, const SavedMovesLimits& limits = {});

/// Throws Model unless the moves begin with this canonical graph.
void check_belongs(const SavedMoves& moves, const Graph& canonical);

}  // namespace braid
