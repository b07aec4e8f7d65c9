#include "contest.h"

#include <algorithm>
#include <memory>

#include "base/samples.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lanes/lane_settings.h"
#include "device/cpu/measuring/memory_traffic.h"
#include "measure/turns.h"
#include "moving.h"
#include "peak.h"
#include "timed_way.h"

namespace braid::kernels_bench {
namespace {

constexpr std::size_t kMostWays = 48;
constexpr std::int64_t kMostBytes = std::int64_t{512} << 20;

/// A way of a product, made runnable.
struct Contender {
  std::size_t product;
  std::string way;  ///< empty: moving()
  std::unique_ptr<TimedWay> timed;
};

class Contest {
 public:
  Contest(const Products& products, const ContestOptions& options)
      : products_(products.all),
        options_(options),
        traffic_(std::max<std::int64_t>(products.between_bytes, 1)) {
    results_.times.resize(products_.size());
    results_.moving_us.resize(products_.size());
  }

  Results run() {
    const cpu::LaneSettings settings;
    for (std::size_t next = 0; next < products_.size();) {
      const std::vector<Contender> group = take_group(next);
      run_group(group, next);
    }
    return std::move(results_);
  }

 private:
  /// The ways of the products from `next` on that take turns; moves `next` behind them.
  std::vector<Contender> take_group(std::size_t& next) {
    std::vector<Contender> group;
    std::int64_t bytes = 0;
    for (; next < products_.size(); ++next) {
      const OneNode& one = *products_[next].one;
      const auto ways = cpu::every_way(cpu::kernel_call_of(one.graph, one.graph.node(one.node)));
      bytes += bytes_of(one) * std::ssize(ways);
      if (!group.empty() && (group.size() + ways.size() > kMostWays || bytes > kMostBytes)) break;
      for (const cpu::Way& way : ways)
        group.push_back({next, way.implementation, std::make_unique<TimedWay>(one, way)});
      if (const auto only = moving(one))
        group.push_back({next, "", std::make_unique<TimedWay>(one, *only)});
    }
    return group;
  }

  void run_group(const std::vector<Contender>& group, std::size_t done) {
    std::vector<Turn> turns;
    for (const Contender& one : group) turns.push_back([&] { return one.timed->run_us(); });
    turns.push_back([this] { return measure_peak(); });
    std::int64_t swept = -1;
    TurnOptions how{.iterations = options_.rounds, .warm_up = 1};
    how.seconds = options_.seconds * static_cast<double>(done - done_) /
                  static_cast<double>(products_.size());
    how.progress = [&](std::string_view, std::int64_t round, std::int64_t) {
      if (round == swept) return true;
      swept = round;
      traffic_.sweep(traffic_.bytes(), 1);
      report(options_.progress, "timing", static_cast<std::int64_t>(done_), std::ssize(products_));
      return true;
    };
    const TurnTimes times = take_turns(turns, how);
    for (std::size_t i = 0; i < group.size(); ++i) keep(group[i], times.times[i]);
    done_ = done;
  }

  double measure_peak() {
    const double gflops = multiply_add_gflops();
    results_.peak_gflops = std::max(results_.peak_gflops, gflops);
    return gflops;
  }

  void keep(const Contender& one, const std::vector<double>& times_us) {
    if (one.way.empty()) {
      results_.moving_us[one.product] = std::ranges::min(times_us);
      return;
    }
    results_.times[one.product].push_back({one.way, std::ranges::min(times_us),
                                           percentile(times_us, 50),
                                           products_[one.product].taken.contains(one.way)});
  }

  const std::vector<Product>& products_;
  const ContestOptions& options_;
  cpu::MemoryTraffic traffic_;
  Results results_;
  std::size_t done_ = 0;
};

}  // namespace

Results measure(const Products& products, const ContestOptions& options) {
  return Contest(products, options).run();
}

}  // namespace braid::kernels_bench
