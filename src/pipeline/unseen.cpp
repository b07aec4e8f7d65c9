#include "pipeline/unseen.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace braid {
namespace {

struct Candidate {
  std::size_t plan = 0;
  double mean_us = 0;  ///< geometric
};

double geometric_mean(const std::vector<double>& times) {
  double sum = 0;
  for (double time : times) sum += std::log(time);
  return std::exp(sum / static_cast<double>(times.size()));
}

}  // namespace

ChosenPlan fastest_unseen(const Graph& lowered, const Device& device, std::vector<Plan> plans,
                          std::string_view scheduler) {
  const auto times_of = device.choice_judge(lowered);
  std::size_t models = 0;
  std::optional<Candidate> best;
  std::optional<Candidate> best_other;
  std::optional<Candidate> best_own;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::vector<double> times = times_of(plans[i]);
    models = times.size();
    const Candidate here{i, geometric_mean(times)};
    auto& of_kind = plans[i].scheduler == scheduler ? best_own : best_other;
    if (!of_kind || here.mean_us < of_kind->mean_us) of_kind = here;
    if (!best || here.mean_us < best->mean_us) best = here;
  }
  const std::string where =
      fmt::format("in {} perturbed models that no search has seen, simulated", models);
  ChosenPlan chosen{std::move(plans[best->plan])};
  if (!best_own || !best_other)
    chosen.reason = fmt::format("the fastest of {} Plans {}", plans.size(), where);
  else if (best->plan == best_own->plan)
    chosen.reason = fmt::format(
        "the search's own Plan takes {:.3f} ms and {}'s, the best of the other schedulers', {:.3f} "
        "ms {}",
        best->mean_us / 1e3, plans[best_other->plan].scheduler, best_other->mean_us / 1e3, where);
  else
    chosen.reason =
        fmt::format("{}'s Plan takes {:.3f} ms and the search's own {:.3f} ms {}",
                    chosen.plan.scheduler, best->mean_us / 1e3, best_own->mean_us / 1e3, where);
  chosen.plan.scheduler = scheduler;
  return chosen;
}

}  // namespace braid
