#include "optimise/moves_json.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/hash.h"

namespace braid {
namespace {

using nlohmann::ordered_json;

constexpr int kMovesVersion = 1;
constexpr std::int64_t kLeastParameter = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostParameter = std::numeric_limits<std::int64_t>::max();

bool can_stand(const std::string& name) {
  if (name.starts_with('#')) return false;
  try {
    return !ordered_json(name).dump().empty();
  } catch (const ordered_json::exception&) {
    return false;
  }
}

std::string written_name(const std::string& name) {
  if (can_stand(name)) return name;
  std::string digits = "#";
  for (const char byte : name)
    digits += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return digits;
}

std::string read_name(const JsonPlace& place, const SavedMovesLimits& limits) {
  std::string text = place.text();
  const bool escaped = text.starts_with('#');
  if ((escaped ? text.size() / 2 : text.size()) > limits.name_bytes)
    raise(ErrorKind::Quota, fmt::format("{}: a name has {} bytes; at most {} are read",
                                        place.path(), text.size(), limits.name_bytes));
  if (!escaped) return text;
  std::string name;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  for (; at + 2 <= end; at += 2) {
    std::uint8_t byte = 0;
    if (std::from_chars(at, at + 2, byte, 16).ptr != at + 2) break;
    name += static_cast<char>(byte);
  }
  if (at != end) place.fail("expected '#' and the bytes of a name in hexadecimal digits");
  return name;
}

std::size_t checked_size(const JsonPlace& place, std::size_t most, std::string_view what) {
  if (place.size() > most)
    raise(ErrorKind::Quota,
          fmt::format("{}: {} {}; at most {} are read", place.path(), place.size(), what, most));
  return place.size();
}

std::vector<std::string> read_names(const JsonPlace& place, const SavedMovesLimits& limits) {
  std::vector<std::string> names;
  const std::size_t size = checked_size(place, limits.list, "names");
  for (std::size_t i = 0; i < size; ++i) names.push_back(read_name(place.at(i), limits));
  return names;
}

Move read_move(const JsonPlace& place, const SavedMovesLimits& limits) {
  place.expect_keys({"rule", "anchor", "nodes", "values", "parameters"});
  Move move{.rule = read_name(place["rule"], limits), .anchor = read_name(place["anchor"], limits)};
  move.nodes = read_names(place["nodes"], limits);
  move.values = read_names(place["values"], limits);
  const JsonPlace parameters = place["parameters"];
  const std::size_t size = checked_size(parameters, limits.list, "numbers");
  for (std::size_t i = 0; i < size; ++i)
    move.parameters.push_back(parameters.at(i).integer(kLeastParameter, kMostParameter));
  return move;
}

std::vector<Round> read_rounds(const JsonPlace& place, const SavedMovesLimits& limits) {
  std::vector<Round> rounds(checked_size(place, limits.rounds, "rounds"));
  std::size_t left = limits.moves;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const JsonPlace round = place.at(r);
    left -= checked_size(round, left, "moves more");
    for (std::size_t i = 0; i < round.size(); ++i)
      rounds[r].push_back(read_move(round.at(i), limits));
  }
  return rounds;
}

SavedMoves read_moves(const JsonPlace& root, const SavedMovesLimits& limits) {
  if (root["braid_moves"].integer(0, std::numeric_limits<int>::max()) != kMovesVersion)
    root["braid_moves"].fail(fmt::format("this Braid reads version {} only", kMovesVersion));
  root.expect_keys({"braid_moves", "graph", "device", "rounds"});
  SavedMoves moves;
  const auto graph = parse_hash(root["graph"].text());
  if (!graph) root["graph"].fail("expected 32 hexadecimal digits");
  moves.graph = *graph;
  moves.device = root["device"].text();
  moves.rounds = read_rounds(root["rounds"], limits);
  return moves;
}

ordered_json names_json(const std::vector<std::string>& names) {
  auto list = ordered_json::array();
  for (const std::string& name : names) list.push_back(written_name(name));
  return list;
}

std::string move_line(const Move& move) {
  return one_line({{"rule", written_name(move.rule)},
                   {"anchor", written_name(move.anchor)},
                   {"nodes", names_json(move.nodes)},
                   {"values", names_json(move.values)},
                   {"parameters", ordered_json(move.parameters)}});
}

}  // namespace

std::string to_json(const SavedMoves& moves) {
  std::string rounds;
  for (const Round& round : moves.rounds) {
    std::string lines;
    for (const Move& move : round)
      lines += fmt::format("{}\n      {}", lines.empty() ? "" : ",", move_line(move));
    rounds += fmt::format("{}\n    [{}\n    ]", rounds.empty() ? "" : ",", lines);
  }
  return fmt::format(
      "{{\n  \"braid_moves\": {},\n  \"graph\": {},\n  \"device\": {},\n  \"rounds\": [{}\n  "
      "]\n}}\n",
      kMovesVersion, one_line(to_string(moves.graph)), one_line(moves.device), rounds);
}

SavedMoves moves_from_json(std::string_view text, const SavedMovesLimits& limits) {
  constexpr int deepest = 5;  // file, rounds, round, move, list
  return with_note([] { return "while reading moves"; },
                   [&] {
                     if (text.size() > limits.bytes)
                       raise(ErrorKind::Quota,
                             fmt::format("the moves have {} bytes; at most {} are read",
                                         text.size(), limits.bytes));
                     const nlohmann::json json = parse_json(text, deepest);
                     return read_moves(JsonPlace(json), limits);
                   });
}

void check_belongs(const SavedMoves& moves, const Graph& canonical) {
  const Hash128 here = hash(canonical, HashWeights::TypesOnly);
  if (moves.graph == here) return;
  raise(ErrorKind::Model,
        fmt::format("the moves were made for another model, or for other sizes or other steps of "
                    "canonicalisation: their graph is {}, this one {}; bind sizes as they were, "
                    "or search again",
                    to_string(moves.graph), to_string(here)));
}

}  // namespace braid
