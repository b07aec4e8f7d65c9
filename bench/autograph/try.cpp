#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "devices/open.h"
#include "pipeline/optimise.h"
#include "zoo/zoo.h"
using namespace braid;
int main(int argc, char** argv) {
  const std::string model = argv[1];
  const auto device = open_device(argv[2]);
  OptimiseOptions how;
  how.seconds = std::atof(argv[3]);
  for (int i = 4; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "sum") how.cost = RewriteCost::Sum;
    if (a == "no-verify") how.verify = false;
    if (a.starts_with("-")) how.disabled.push_back(a.substr(1));
  }
  PipelineOptions options;
  auto c = std::make_shared<const Canonical>(canonical(zoo::build(model), *device, options));
  const Optimised o = optimised(c, *device, options, how);
  const auto& r = o.report;
  fmt::print(
      "{} {}: ratio {:.3f} [{:.3f},{:.3f}] {:.3f} -> {:.3f} ms, cand {}, {:.1f} s, {}, cp "
      "{:.0f}->{:.0f} sum {:.0f}->{:.0f} width {}->{}\n  {}\n",
      model, argv[2], r.ratio, r.ratio_band.p10, r.ratio_band.p90, r.time_ms.before,
      r.time_ms.after, r.candidates, r.seconds, name(r.stopped), r.critical_path_us.before,
      r.critical_path_us.after, r.sum_us.before, r.sum_us.after, r.width.before, r.width.after,
      r.reason);
  for (auto& x : r.rules) fmt::print("  {} x{}", x.name, x.count);
  fmt::print("\n");
  for (auto& g : r.gains) fmt::print("  {:.1f}s/{}: {:.3f}", g.seconds, g.candidates, g.ratio);
  fmt::print("\n");
}
