#include "plan/thrift.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "plan/arena_items.h"

namespace braid {
namespace {

StepRef ref_of(std::size_t stream, std::size_t index) {
  return {StreamId(static_cast<std::int64_t>(stream)), static_cast<std::int32_t>(index)};
}

Step& step_of(Plan& plan, StepRef ref) {
  return plan.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)];
}

/// The steps by the time when they begin; an order in which they may run.
std::vector<StepRef> by_begin(const HappensBefore& order, const Timeline& timeline) {
  std::vector<StepRef> steps = order.order();
  std::sort(steps.begin(), steps.end(), [&](StepRef a, StepRef b) {
    return std::tuple(timeline.at(a).begin_us, order.position(a)) <
           std::tuple(timeline.at(b).begin_us, order.position(b));
  });
  return steps;
}

/// The Plan in which every step waits for all that had ended when it began.
Plan waiting_as_timed(const HappensBefore& order, const Plan& plan, const Timeline& timeline) {
  Plan timed = plan;
  std::vector<std::size_t> begun(plan.streams.size(), 0);
  std::vector<std::size_t> ended(plan.streams.size(), 0);
  for (StepRef ref : by_begin(order, timeline)) {
    for (std::size_t s = 0; s < plan.streams.size(); ++s) {
      while (ended[s] < begun[s] &&
             timeline.streams[s][ended[s]].end_us <= timeline.at(ref).begin_us)
        ++ended[s];
      if (s != ref.stream.at() && ended[s] > 0)
        step_of(timed, ref).waits.push_back(ref_of(s, ended[s] - 1));
    }
    ++begun[ref.stream.at()];
  }
  return timed;
}

/// Finds the items that had bytes last.
class Tenants {
 public:
  using Index = std::uint32_t;

  /// Calls `previous(item)` for every item that had some of these bytes, and gives them to `item`.
  template <class F>
  void move_in(Index item, std::int64_t begin, std::int64_t end, const F& previous) {
    split(begin);
    split(end);
    const auto first = cells_.lower_bound(begin);
    const auto last = cells_.lower_bound(end);
    for (auto cell = first; cell != last; ++cell) previous(cell->second.second);
    cells_.erase(first, last);
    cells_[begin] = {end, item};
  }

 private:
  void split(std::int64_t at) {
    auto cell = cells_.lower_bound(at);
    if (cell == cells_.begin()) return;
    --cell;
    if (cell->second.first <= at) return;
    cells_[at] = cell->second;
    cell->second.first = at;
  }

  std::map<std::int64_t, std::pair<std::int64_t, Index>> cells_;  // begin → end, tenant
};

std::int32_t begin_of(const HappensBefore& order, const PackItem& item) {
  std::int32_t begin = std::numeric_limits<std::int32_t>::max();
  for (StepRef step : item.first) begin = std::min(begin, order.position(step));
  return begin;
}

/// Lets the steps that first use an item's bytes wait for those that used these bytes last.
void add_memory_waits(const HappensBefore& order, const std::vector<PackItem>& items,
                      const Packing& packing, Plan& plan) {
  std::vector<std::pair<std::int32_t, Tenants::Index>> arrivals;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].bytes > 0 && !items[i].first.empty())
      arrivals.emplace_back(begin_of(order, items[i]), static_cast<Tenants::Index>(i));
  std::sort(arrivals.begin(), arrivals.end());
  Tenants tenants;
  for (const auto& [begin, item] : arrivals) {
    const std::int64_t offset = packing.offsets[item];
    tenants.move_in(item, offset, checked_add(offset, items[item].bytes),
                    [&, newcomer = item](Tenants::Index old) {
                      for (StepRef first : items[newcomer].first)
                        for (StepRef last : items[old].last)
                          if (first.stream != last.stream)
                            step_of(plan, first).waits.push_back(last);
                    });
  }
}

/// Lets steps begin one after another as memory allows.
class Throttle {
 public:
  Throttle(const Graph& graph, const Plan& plan, const Timeline& timeline, std::int64_t bytes)
      : plan_(plan),
        timeline_(timeline),
        order_(graph, plan),
        items_(graph, plan, order_),
        limit_(bytes) {
    const auto& items = items_.all();
    for (const auto& stream : plan.streams) {
      takes_.emplace_back(stream.size());
      gives_.emplace_back(stream.size());
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (StepRef ref : items[i].first)
        takes_[ref.stream.at()][static_cast<std::size_t>(ref.index)].push_back(i);
      for (StepRef ref : items[i].last)
        gives_[ref.stream.at()][static_cast<std::size_t>(ref.index)].push_back(i);
    }
  }

  /// When the steps then run; nothing if they get stuck. If `strict`, no step that needs memory
  /// overtakes one that should have begun before it and does not fit. That is slower, but gets
  /// stuck only if one step after another would.
  std::optional<Timeline> run(bool strict) {
    reset();
    while (done_ < order_.order().size()) {
      begin_what_fits(strict);
      if (!end_next()) return std::nullopt;
    }
    result_.end_us = now_;
    return result_;
  }

 private:
  void reset() {
    result_.streams.clear();
    for (const auto& stream : plan_.streams) result_.streams.emplace_back(stream.size());
    begun_.assign(plan_.streams.size(), 0);
    ended_.assign(plan_.streams.size(), 0);
    in_use_.assign(items_.all().size(), false);
    left_.clear();
    for (const PackItem& item : items_.all()) left_.push_back(item.last.size());
    used_ = 0;
    now_ = 0;
    done_ = 0;
  }

  std::int64_t aligned(std::size_t item) const {
    return checked_mul(ceil_div(items_.all()[item].bytes, kArenaAlignment), kArenaAlignment);
  }

  bool ready(StepRef ref) const {
    if (ended_[ref.stream.at()] < static_cast<std::size_t>(ref.index)) return false;
    const auto& waits = step_at(plan_, ref).waits;
    return std::all_of(waits.begin(), waits.end(), [&](StepRef wait) {
      return ended_[wait.stream.at()] > static_cast<std::size_t>(wait.index);
    });
  }

  const std::vector<std::size_t>& takes(StepRef ref) const {
    return takes_[ref.stream.at()][static_cast<std::size_t>(ref.index)];
  }

  std::int64_t needs(StepRef ref) const {
    std::int64_t bytes = 0;
    for (std::size_t item : takes(ref))
      if (!in_use_[item]) bytes = checked_add(bytes, aligned(item));
    return bytes;
  }

  void begin_what_fits(bool strict) {
    using Candidate = std::tuple<double, std::int32_t, StepRef>;
    std::vector<Candidate> heads;
    for (std::size_t s = 0; s < begun_.size(); ++s)
      if (begun_[s] < plan_.streams[s].size()) {
        const StepRef ref = ref_of(s, begun_[s]);
        heads.emplace_back(timeline_.at(ref).begin_us, order_.position(ref), ref);
      }
    std::sort(heads.begin(), heads.end());
    bool blocked = false;
    for (const auto& [begin, position, ref] : heads) {
      const std::int64_t bytes = needs(ref);
      const bool fits = bytes == 0 || (!blocked && used_ <= limit_ - bytes);
      if (ready(ref) && fits)
        start(ref);
      else
        blocked = blocked || strict;
    }
  }

  void start(StepRef ref) {
    for (std::size_t item : takes(ref)) {
      if (in_use_[item]) continue;
      in_use_[item] = true;
      used_ += aligned(item);
    }
    const Timeline::Span& span = timeline_.at(ref);
    result_.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)] = {
        now_, now_ + std::max(0.0, span.end_us - span.begin_us)};
    ++begun_[ref.stream.at()];
  }

  /// Lets the running step that ends next end. False if nothing runs.
  bool end_next() {
    std::size_t next = begun_.size();
    double end = 0;
    for (std::size_t s = 0; s < begun_.size(); ++s)
      if (ended_[s] < begun_[s] &&
          (next == begun_.size() || result_.streams[s][ended_[s]].end_us < end)) {
        next = s;
        end = result_.streams[s][ended_[s]].end_us;
      }
    if (next == begun_.size()) return false;
    now_ = end;
    for (std::size_t item : gives_[next][ended_[next]])
      if (--left_[item] == 0 && in_use_[item]) used_ -= aligned(item);
    ++ended_[next];
    ++done_;
    return true;
  }

  const Plan& plan_;
  const Timeline& timeline_;
  HappensBefore order_;
  ArenaItems items_;
  std::int64_t limit_;
  std::vector<std::vector<std::vector<std::size_t>>> takes_;  // items that a step first writes
  std::vector<std::vector<std::vector<std::size_t>>> gives_;  // items that it is a last user of
  Timeline result_;
  std::vector<std::size_t> begun_;  // steps, by stream
  std::vector<std::size_t> ended_;
  std::vector<bool> in_use_;
  std::vector<std::size_t> left_;  // of an item: last users that have not ended
  std::int64_t used_ = 0;
  double now_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

void place_by_time(const Graph& graph, Plan& plan, const Timeline& timeline) {
  const HappensBefore order(graph, plan);
  const HappensBefore timed(graph, waiting_as_timed(order, plan, timeline));
  const ArenaItems items(graph, plan, order);
  const Packing packing = pack(timed, items.all());
  items.apply(packing, plan);
  add_memory_waits(timed, items.all(), packing, plan);
  reduce_waits(graph, plan);
}

std::optional<Timeline> throttled(const Graph& graph, const Plan& plan, const Timeline& timeline,
                                  std::int64_t bytes) {
  Throttle throttle(graph, plan, timeline, bytes);
  if (auto quick = throttle.run(false)) return quick;
  return throttle.run(true);
}

}  // namespace braid
