#include "watched.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace braid::autograph_table {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNearlyAll = 0.95;
constexpr double kTicksPerSecond = 10;  // in which a search tells how far it is

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Both clocks when a search said how far it was.
struct Tick {
  double searched_seconds;
  double seconds;
  double processor_seconds;
};

class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double processor() const { return processor_seconds() - processor_start_; }

  Progress progress() {
    return [this](std::string_view phase, std::int64_t done, std::int64_t /*total*/) {
      const double searched = static_cast<double>(done) / kTicksPerSecond;
      if (phase.starts_with("rewriting") &&
          (ticks_.empty() || ticks_.back().searched_seconds < searched))
        ticks_.push_back({searched, seconds(), processor()});
      return true;
    };
  }

  WatchedGain at(const GainPoint& gain) const {
    WatchedGain result{gain.seconds, 0, gain.candidates, gain.ratio, gain.step};
    for (const Tick& tick : ticks_) {
      result.seconds = tick.seconds;
      result.processor_seconds = tick.processor_seconds;
      if (tick.searched_seconds >= gain.seconds) break;
    }
    return result;
  }

 private:
  Clock::time_point start_ = Clock::now();
  double processor_start_ = processor_seconds();
  std::vector<Tick> ticks_;
};

nlohmann::ordered_json json_of(const BeforeAfter& figure) {
  return {{"before", figure.before}, {"after", figure.after}};
}

nlohmann::ordered_json json_of(const WatchedGain& gain) {
  return {{"seconds", gain.seconds},
          {"processor_seconds", gain.processor_seconds},
          {"candidates", gain.candidates},
          {"ratio", gain.ratio},
          {"step", gain.step}};
}

}  // namespace

const WatchedGain* Watched::nearly_all() const {
  if (gains.empty()) return nullptr;
  const double wanted = 1 + kNearlyAll * (gains.back().ratio - 1);
  return &*std::ranges::find_if(gains, [&](const auto& gain) { return gain.ratio >= wanted; });
}

PipelineOptions stage_options() {
  PipelineOptions options;
  options.costs.use_cache = false;
  return options;
}

Watched watch(const std::shared_ptr<const Canonical>& model, const Device& device,
              const OptimiseOptions& how) {
  Watch clocks;
  PipelineOptions options = stage_options();
  options.progress = clocks.progress();
  Watched result{.optimised = optimised(model, device, options, how)};
  result.seconds = clocks.seconds();
  result.processor_seconds = clocks.processor();
  for (const GainPoint& gain : result.optimised.report.gains)
    result.gains.push_back(clocks.at(gain));
  return result;
}

nlohmann::ordered_json json_of(const Watched& watched) {
  const OptimiseReport& report = watched.optimised.report;
  nlohmann::ordered_json json = {{"stopped", name(report.stopped)},
                                 {"reason", report.reason},
                                 {"candidates", report.candidates},
                                 {"seconds", watched.seconds},
                                 {"processor_seconds", watched.processor_seconds},
                                 {"critical_path_us", json_of(report.critical_path_us)},
                                 {"sum_us", json_of(report.sum_us)},
                                 {"width", json_of(report.width)},
                                 {"rules", nlohmann::ordered_json::object()},
                                 {"nearly_all", nullptr},
                                 {"gains", nlohmann::ordered_json::array()}};
  for (const RuleCount& rule : report.rules) json["rules"][rule.name] = rule.count;
  for (const WatchedGain& gain : watched.gains) json["gains"].push_back(json_of(gain));
  if (const WatchedGain* gain = watched.nearly_all()) json["nearly_all"] = json_of(*gain);
  return json;
}

}  // namespace braid::autograph_table
