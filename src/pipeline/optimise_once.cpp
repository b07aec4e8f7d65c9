#include "pipeline/optimise_once.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "device/kernel_identity.h"
#include "graph/hash.h"
#include "optimise/moves_json.h"
#include "pipeline/optimise.h"
#include "pipeline/replay.h"

namespace braid {
namespace {

/// Moves of other rules may match nothing, or be no longer what a search would find.
std::string rules_version() {
  Hasher hasher;
  hasher.add(searched_rules().size());
  for (const SearchedRule& row : searched_rules()) hasher.add(row.rule.name);
  return to_string(hasher.finish());
}

/// Where the moves of a graph are kept.
struct Place {
  std::string conditions;
  std::string graph;
};

Place place_of(const Graph& graph, const Device& device, const PipelineOptions& options) {
  const OptimiseOptions& how = *options.optimise;
  Hasher hasher;
  hasher.add(hash_with_names(graph, HashWeights::TypesOnly));
  hasher.add(std::string_view(options.plan.scheduler));
  hasher.add(options.plan.streams);
  hasher.add(options.plan.arena_budget);
  hasher.add(how.cost);
  hasher.add(how.verify);
  for (const auto* names : {&options.rewrite.disabled, &how.disabled}) {
    hasher.add(names->size());
    for (const std::string& name : *names) hasher.add(std::string_view(name));
  }
  const std::string kernels = with_identity(device.fingerprint(), device.kernel_identity({}));
  return {fmt::format("{}; rules {}", kernels, rules_version()), to_string(hasher.finish())};
}

std::optional<ProfileCache> open_cache(const PipelineOptions& options, bool to_write) {
  ProfileOptions how = options.costs;
  how.measure = to_write;
  return open_profile_cache(how);
}

/// What an earlier search made of the model; nothing if there was none, or if it cannot be made
/// again.
std::shared_ptr<const Canonical> made_again(const Canonical& model, const Place& place,
                                            const Device& device, const PipelineOptions& options) {
  auto cache = open_cache(options, false);
  const auto text = cache ? cache->find_moves(place.conditions, place.graph) : std::nullopt;
  if (!text) return nullptr;
  report(options.progress, "making moves again", 0, 0);
  try {
    const SavedMoves moves = moves_from_json(*text);
    check_belongs(moves, model.graph);
    Canonical again = model;
    again.graph = replayed(model.graph, moves.rounds, device);
    return std::make_shared<const Canonical>(std::move(again));
  } catch (const Error& error) {
    if (options.costs.warn)
      options.costs.warn(fmt::format(
          "moves of an earlier search in the profile cache cannot be made again ({}); the model is "
          "optimised anew",
          error.message()));
    return nullptr;
  }
}

void refuse_names_of_operators(const PlanOptions& plan) {
  const bool edited = plan.edits.has_value();
  if (edited || plan.given)
    raise(ErrorKind::Usage,
          fmt::format("{} operators of the model, which optimising may replace; do without one of "
                      "the two",
                      edited ? "edits name" : "a saved Plan names"));
}

}  // namespace

std::shared_ptr<const Canonical> optimised_once(const std::shared_ptr<const Canonical>& model,
                                                const Device& device,
                                                const PipelineOptions& options) {
  refuse_names_of_operators(options.plan);
  const Place place = place_of(model->graph, device, options);
  if (auto again = made_again(*model, place, device, options)) return again;
  Optimised found = optimised(model, device, options, *options.optimise);
  if (found.report.stopped == OptimiseStop::Cancelled)
    raise(ErrorKind::Cancelled, "stopped while optimising");
  if (auto cache = open_cache(options, true))
    cache->keep_moves(place.conditions, place.graph,
                      to_json(SavedMoves{.graph = hash(model->graph, HashWeights::TypesOnly),
                                         .device = device.spec().name,
                                         .rounds = found.rounds}));
  return found.model;
}

}  // namespace braid
