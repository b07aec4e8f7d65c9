#include "schedule/units.h"

#include <algorithm>

namespace braid {

Units units_of(const TaskGraph& tasks, bool contract_rows) {
  Units units;
  std::vector<std::int32_t> unit_of(tasks.size(), -1);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto task = static_cast<Task>(i);
    if (contract_rows && tasks.before[i].size() == 1) {
      const auto before = static_cast<std::size_t>(tasks.before[i][0]);
      if (tasks.after[before].size() == 1) {
        unit_of[i] = unit_of[before];
        units.members[static_cast<std::size_t>(unit_of[i])].push_back(task);
        continue;
      }
    }
    unit_of[i] = static_cast<std::int32_t>(units.members.size());
    units.members.push_back({task});
  }
  units.before.resize(units.size());
  units.after.resize(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    auto& before = units.before[unit];
    for (Task task : tasks.before[static_cast<std::size_t>(units.members[unit].front())])
      before.push_back(unit_of[static_cast<std::size_t>(task)]);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (std::int32_t other : before)
      units.after[static_cast<std::size_t>(other)].push_back(static_cast<std::int32_t>(unit));
  }
  return units;
}

std::vector<std::size_t> block_ends(const Units& units, std::size_t most) {
  // How many results of each unit and of earlier ones are read after it.
  std::vector<int> live(units.size() + 1, 0);
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    if (!units.after[unit].empty()) {
      ++live[unit];
      --live[static_cast<std::size_t>(units.after[unit].back())];
    }
  // What the graph is given is read until the last unit that nothing comes before.
  std::size_t last_source = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    if (units.before[unit].empty()) last_source = unit;
  ++live[0];
  --live[last_source];
  for (std::size_t unit = 1; unit < units.size(); ++unit) live[unit] += live[unit - 1];

  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const bool last = unit + 1 == units.size();
    const bool alone = live[unit] == 1 && !units.after[unit].empty();
    if (!last && !alone) continue;
    while (unit + 1 - begin > most) {
      std::size_t best = begin + (most + 1) / 2 - 1;
      for (std::size_t at = best; at < begin + most; ++at)
        if (live[at] <= live[best]) best = at;
      ends.push_back(best + 1);
      begin = best + 1;
    }
    ends.push_back(unit + 1);
    begin = unit + 1;
  }
  return ends;
}

}  // namespace braid
