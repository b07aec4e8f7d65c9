#include "measure/fastest_way.h"

#include <algorithm>
#include <map>

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

/// What ways take. A run has a node on one stream or, cut, on all of them: a way counts by its time
/// on one and by that of the longest of its parts on all, as much by the one as by the other.
class TimesOfWays {
 public:
  explicit TimesOfWays(int streams) : streams_(streams) {}

  void add(const std::string& way, int parts, double time_us) {
    Times& times = of_[way];
    (parts == 1 ? times.whole_us : times.parts_us) = time_us;
  }

  /// The fastest one first.
  std::vector<std::string> ranked() const {
    std::vector<std::pair<double, std::string>> all;
    for (const auto& [way, times] : of_)
      if (times.whole_us > 0) all.emplace_back(score(times), way);
    std::ranges::sort(all);
    std::vector<std::string> ways;
    for (auto& [score_us, way] : all) ways.push_back(std::move(way));
    return ways;
  }

  /// Those that are faster than that one beyond doubt, and it; none if it was not measured.
  std::vector<std::string> ranked_above(const std::string& first) const {
    const auto at = of_.find(first);
    if (at == of_.end() || at->second.whole_us == 0) return {};
    std::vector<std::string> faster = ranked();
    std::erase_if(faster, [&](const std::string& way) {
      return score(of_.at(way)) >= kLeastAhead * score(at->second);
    });
    faster.push_back(first);
    return faster;
  }

 private:
  struct Times {
    double whole_us = 0;
    double parts_us = 0;  ///< 0: it is not cut
  };

  double score(const Times& times) const {
    return times.whole_us / streams_ + (times.parts_us > 0 ? times.parts_us : times.whole_us);
  }

  int streams_;
  std::map<std::string, Times> of_;
};

}  // namespace

FastestWay::FastestWay(const Graph& graph, const Device& device, ProfileOptions options, bool exact)
    : device_(device),
      options_(std::move(options)),
      between_bytes_(bytes_between_uses(graph)),
      given_(device.meter() != nullptr
                 ? load_costs(options_, {std::shared_ptr<void>(), &device.modelled_costs()})
                 : std::nullopt),
      cache_(device.meter() != nullptr ? open_profile_cache(options_) : std::nullopt) {
  conditions_ = with_identity(
      fmt::format("{}; {}, whole and in parts{}; {} MiB between uses", device.fingerprint(), kWays,
                  exact ? ", exact" : "", between_bytes_ >> 20),
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
  TimesOfWays times(device_.spec().streams);
  for (const Wanted& wanted : wanted_of(ways))
    if (const Measurement* found = given_->find(wanted.signature))
      times.add(ways.node(wanted.node).lowering.implementation, wanted.parts, found->time_us);
  return times.ranked();
}

std::vector<std::string> FastestWay::measured(const WayQuestion& question) const {
  const Graph ways = question.all();
  const std::string& first =
      question.first.node(question.first.node_ids().front()).lowering.implementation;
  if (ways.node_count() == 1) return {first};
  const MeasureOptions options = rounds_of_ways(between_bytes_);
  const Progress progress = [&](std::string_view, std::int64_t, std::int64_t) {
    return !options_.progress || options_.progress("comparing ways to run operators", 0, 0);
  };
  TimesOfWays times(device_.spec().streams);
  measure_in_turns(device_, ways, wanted_of(ways), options, progress,
                   [&](std::span<const Wanted> group, std::span<Probe> probes) {
                     for (std::size_t i = 0; i < group.size(); ++i)
                       if (is_measured(probes[i], options))
                         times.add(ways.node(group[i].node).lowering.implementation, group[i].parts,
                                   percentile(probes[i].alone_us, kContestPercentile));
                   });
  return times.ranked_above(first);
}

std::vector<Wanted> FastestWay::wanted_of(const Graph& ways) const {
  const int streams = device_.spec().streams;
  std::vector<Wanted> wanted = wanted_signatures(ways, device_.modelled_costs(), streams);
  std::erase_if(wanted, [&](const Wanted& one) { return one.parts != 1 && one.parts != streams; });
  return wanted;
}

}  // namespace braid
