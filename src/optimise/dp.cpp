#include "optimise/dp.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace braid {
namespace {

Assembly extended(const Assembly& before, const SegmentChoice& choice,
                  const SegmentOption& option) {
  Assembly assembly = before;
  assembly.cost += option.cost;
  assembly.mark += option.mark;
  assembly.choices.push_back(choice);
  return assembly;
}

void keep_best(std::vector<Assembly>& assemblies, std::size_t most) {
  std::ranges::sort(assemblies, [](const Assembly& a, const Assembly& b) {
    return std::tie(a.cost, a.choices) < std::tie(b.cost, b.choices);
  });
  std::unordered_set<std::uint64_t> marks;
  std::erase_if(assemblies, [&](const Assembly& a) { return !marks.insert(a.mark).second; });
  if (assemblies.size() > most) assemblies.resize(most);
}

}  // namespace

std::vector<Assembly> best_assemblies(std::size_t parts,
                                      const std::vector<SegmentOptions>& segments,
                                      std::size_t most) {
  std::vector<std::vector<Assembly>> best(parts + 1);
  best[0].emplace_back();
  for (std::size_t j = 1; j <= parts; ++j) {
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const SegmentOptions& segment = segments[s];
      if (segment.last + 1 != j) continue;
      for (const Assembly& before : best[segment.first])
        for (std::size_t o = 0; o < segment.options.size(); ++o)
          best[j].push_back(extended(before, {s, o}, segment.options[o]));
    }
    keep_best(best[j], most);
  }
  return std::move(best[parts]);
}

}  // namespace braid
