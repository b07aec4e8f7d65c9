#include "pipeline/contest_memory.h"

#include <span>

#include <fmt/format.h>

#include "base/hash.h"
#include "plan/json.h"

namespace braid {
namespace {

/// Plans name the graph that they are for.
std::string hash_of(const Graph& lowered, const Plan& plan) {
  const std::string text = to_json(lowered, plan);
  return to_string(hash_bytes(std::as_bytes(std::span(text))));
}

std::string signature_of(const Graph& lowered, const Plan& champion, const Plan& challenger) {
  return fmt::format("contest: Plan {} against {}", hash_of(lowered, challenger),
                     hash_of(lowered, champion));
}

}  // namespace

std::optional<ContestTimes> remembered_contest(ProfileCache& cache, std::string_view conditions,
                                               const Graph& lowered, const Plan& champion,
                                               const Plan& challenger) {
  const std::string signature = signature_of(lowered, champion, challenger);
  SamplesBySignature found = cache.find(conditions, {signature});
  const auto at = found.find(signature);
  if (at == found.end() || at->second.alone_us.empty() || at->second.beside_us.empty())
    return std::nullopt;
  return ContestTimes{std::move(at->second.beside_us), std::move(at->second.alone_us)};
}

void remember_contest(ProfileCache& cache, std::string_view conditions, const Graph& lowered,
                      const Plan& champion, const Plan& challenger, const ContestTimes& times) {
  cache.keep(conditions, {{signature_of(lowered, champion, challenger),
                           {.alone_us = times.challenger_us, .beside_us = times.champion_us}}});
}

}  // namespace braid
