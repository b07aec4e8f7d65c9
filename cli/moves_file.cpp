#include "cli/moves_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "graph/hash.h"
#include "optimise/moves_json.h"

namespace braid::cli {

std::vector<Round> load_moves(const std::string& file, const Graph& canonical) {
  return with_note([&] { return fmt::format("in the moves of {}", quote(file)); },
                   [&] {
                     const auto mapped = MappedFile::open(file);
                     SavedMoves moves =
                         moves_from_json({reinterpret_cast<const char*>(mapped->bytes().data()),
                                          mapped->bytes().size()});
                     check_belongs(moves, canonical);
                     return std::move(moves.rounds);
                   });
}

void save_moves(const std::string& file, const Graph& canonical, const std::string& device,
                const std::vector<Round>& rounds) {
  write_file(file, to_json(SavedMoves{.graph = hash(canonical, HashWeights::TypesOnly),
                                      .device = device,
                                      .rounds = rounds}));
}

}  // namespace braid::cli
