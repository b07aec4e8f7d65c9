#include "measure/fastest_way.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/samples.h"
#include "base/text.h"
#include "cost/signature.h"
#include "device/kernel_identity.h"
#include "measure/turns_of_nodes.h"
#include "measure/wanted.h"

namespace braid {
namespace {

/// Another way has to take less than this share of the first one's time.
constexpr double kLeastAhead = 0.97;

MeasureOptions rounds_of_ways(std::int64_t between_bytes) {
  MeasureOptions options;
  options.between_bytes = between_bytes;
  options.rounds = 9;
  options.rounds_beside = 0;
  options.rounds_at_least = 3;
  options.budget_us = 100'000;
  return options;
}

}  // namespace

FastestWay::FastestWay(const Graph& graph, const Device& device, ProfileOptions options, bool exact)
    : device_(device),
      options_(std::move(options)),
      between_bytes_(bytes_between_uses(graph)),
      given_(device.meter() != nullptr
                 ? load_costs(options_, {std::shared_ptr<void>(), &device.modelled_costs()})
                 : std::nullopt),
      cache_(device.meter() != nullptr ? open_profile_cache(options_) : std::nullopt) {
  conditions_ = with_identity(fmt::format("{}; {}{}; {} MiB between uses", device.fingerprint(),
                                          kWays, exact ? ", exact" : "", between_bytes_ >> 20),
                              device.kernel_identity(kWays));
}

std::vector<std::string> FastestWay::operator()(const WayQuestion& question) {
  const std::string first = signature(question.first, question.first.node_ids().front());
  if (const auto at = known_.find(first); at != known_.end()) return at->second;
  std::vector<std::string>& answer = known_[first];
  if (given_) return answer = given(question);
  const auto kept =
      cache_ && !options_.remeasure ? cache_->find_way(conditions_, first) : std::nullopt;
  if (kept) return answer = comma_separated(*kept);
  if (!options_.measure || device_.meter() == nullptr) return answer;
  answer = measured(question);
  if (cache_ && !answer.empty())
    cache_->keep_way(conditions_, first, fmt::format("{}", fmt::join(answer, ",")));
  return answer;
}

std::vector<std::string> FastestWay::given(const WayQuestion& question) const {
  const Graph ways = question.all();
  std::vector<std::pair<double, std::string>> times;
  for (const NodeId id : ways.node_ids())
    if (const Measurement* found = given_->find(signature(ways, id)))
      times.emplace_back(found->time_us, ways.node(id).lowering.implementation);
  std::ranges::sort(times);
  std::vector<std::string> ranked;
  for (auto& [time_us, way] : times) ranked.push_back(std::move(way));
  return ranked;
}

std::vector<std::string> FastestWay::measured(const WayQuestion& question) const {
  const Graph ways = question.all();
  const std::string& first =
      question.first.node(question.first.node_ids().front()).lowering.implementation;
  if (ways.node_count() == 1) return {first};
  const std::vector<Wanted> wanted = wanted_signatures(ways, device_.modelled_costs(), 1);
  const MeasureOptions options = rounds_of_ways(between_bytes_);
  const Progress progress = [&](std::string_view, std::int64_t, std::int64_t) {
    return !options_.progress || options_.progress("comparing ways to run operators", 0, 0);
  };
  std::vector<std::pair<double, std::string>> times;
  double first_us = 0;
  measure_in_turns(device_, ways, wanted, options, progress,
                   [&](std::span<const Wanted> group, std::span<Probe> probes) {
                     for (std::size_t i = 0; i < group.size(); ++i)
                       if (is_measured(probes[i], options)) {
                         const std::string& way = ways.node(group[i].node).lowering.implementation;
                         times.emplace_back(percentile(probes[i].alone_us, kContestPercentile),
                                            way);
                         if (way == first) first_us = times.back().first;
                       }
                   });
  std::ranges::sort(times);
  std::vector<std::string> faster;
  for (const auto& [time_us, way] : times)
    if (time_us < kLeastAhead * first_us) faster.push_back(way);
  if (first_us > 0) faster.push_back(first);
  return faster;
}

}  // namespace braid
