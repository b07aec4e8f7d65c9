#include "measure/glances.h"

#include "measure/turns_of_nodes.h"
#include "measure/wanted.h"

namespace braid {
namespace {

MeasureOptions few_rounds(std::int64_t between_bytes) {
  MeasureOptions options;
  options.between_bytes = between_bytes;
  options.rounds = 5;
  options.rounds_beside = 0;
  options.rounds_at_least = 3;
  options.budget_us = 50'000;
  return options;
}

}  // namespace

Glances::Glances(const Device& device, const Graph& lowered, const CostTable& known)
    : device_(device),
      between_bytes_(bytes_between_uses(lowered)),
      costs_({std::shared_ptr<void>(), &device.modelled_costs()}) {
  for (const Wanted& one : wanted_signatures(lowered, device.modelled_costs(), 1))
    if (const Measurement* found = known.find(one.signature)) {
      Measurement alone = *found;
      alone.time_beside_us = alone.time_us;
      costs_.add(one.signature, std::move(alone));
    }
}

const CostTable& Glances::costs(const Graph& lowered, const Progress& progress) {
  std::vector<Wanted> wanted = wanted_signatures(lowered, device_.modelled_costs(), 1);
  std::erase_if(wanted, [&](const Wanted& one) { return costs_.find(one.signature) != nullptr; });
  const MeasureOptions options = few_rounds(between_bytes_);
  measure_in_turns(
      device_, lowered, wanted, options, progress,
      [&](std::span<const Wanted> group, std::span<Probe> probes) {
        for (std::size_t i = 0; i < group.size(); ++i) {
          if (!is_measured(probes[i], options)) continue;
          const Samples samples{std::move(probes[i].alone_us), {}};
          costs_.add(group[i].signature,
                     measurement_of(samples, lowered.node(group[i].node).op, group[i].modelled_us));
        }
      });
  return costs_;
}

}  // namespace braid
