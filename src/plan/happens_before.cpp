#include "plan/happens_before.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace braid {
namespace {

constexpr std::size_t kMostClockEntries = std::size_t{1} << 26;

StreamId stream_id(std::size_t s) { return StreamId(static_cast<std::int64_t>(s)); }

template <class F>
void for_each_step(const Plan& plan, F&& f) {
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i)
      f(StepRef{stream_id(s), static_cast<std::int32_t>(i)});
}

/// The steps that a step begins after, by its stream and its waits.
std::vector<StepRef> predecessors(const Plan& plan, StepRef ref) {
  std::vector<StepRef> before = step_at(plan, ref).waits;
  if (ref.index > 0) before.push_back({ref.stream, ref.index - 1});
  return before;
}

/// Goes back along steps that can never begin, from `stuck` on, until one comes again.
[[noreturn]] void raise_cycle(const Graph& graph, const Plan& plan,
                              const std::vector<std::vector<bool>>& done, StepRef stuck) {
  const auto never = [&](StepRef ref) {
    return !done[ref.stream.at()][static_cast<std::size_t>(ref.index)];
  };
  std::vector<StepRef> path;
  std::vector<std::vector<bool>> seen(plan.streams.size());
  for (std::size_t s = 0; s < seen.size(); ++s) seen[s].resize(plan.streams[s].size());
  while (!seen[stuck.stream.at()][static_cast<std::size_t>(stuck.index)]) {
    seen[stuck.stream.at()][static_cast<std::size_t>(stuck.index)] = true;
    path.push_back(stuck);
    const auto before = predecessors(plan, stuck);
    stuck = *std::find_if(before.begin(), before.end(), never);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), stuck));
  constexpr std::size_t kShown = 6;
  std::string text = describe(graph, plan, path[0]);
  for (std::size_t i = 1; i < std::min(path.size(), kShown); ++i)
    text += ", which comes after " + describe(graph, plan, path[i]);
  if (path.size() > kShown) text += fmt::format(", … {} steps more", path.size() - kShown);
  raise(ErrorKind::Model,
        fmt::format("the waits form a cycle, so the Plan would never end: {}, which comes after {}",
                    text, describe(graph, plan, path[0])));
}

}  // namespace

void extend(Frontier& frontier, StepRef step) {
  const auto place = std::lower_bound(frontier.begin(), frontier.end(), step,
                                      [](StepRef a, StepRef b) { return a.stream < b.stream; });
  if (place == frontier.end() || place->stream != step.stream)
    frontier.insert(place, step);
  else
    place->index = std::max(place->index, step.index);
}

void extend(Frontier& frontier, const Frontier& other) {
  for (StepRef step : other) extend(frontier, step);
}

HappensBefore::HappensBefore(const Graph& graph, const Plan& plan) : streams_(plan.streams.size()) {
  first_.assign(1, 0);
  for (const auto& stream : plan.streams) first_.push_back(first_.back() + stream.size());
  const std::size_t steps = first_.back();
  if (steps > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) ||
      (steps > 0 && streams_ > kMostClockEntries / steps))
    raise(ErrorKind::Quota,
          fmt::format("a Plan of {} steps on {} streams is too large to check", steps, streams_));
  check(graph, plan);
  clocks_.assign(steps * streams_, 0);
  const std::vector<std::int32_t> level = levels(graph, plan);

  order_.reserve(steps);
  for_each_step(plan, [&](StepRef ref) { order_.push_back(ref); });
  std::sort(order_.begin(), order_.end(), [&](StepRef a, StepRef b) {
    return std::pair(level[number(a)], a) < std::pair(level[number(b)], b);
  });
  position_.resize(steps);
  for (std::size_t p = 0; p < steps; ++p)
    position_[number(order_[p])] = static_cast<std::int32_t>(p);
}

void HappensBefore::check(const Graph& graph, const Plan& plan) const {
  for_each_step(plan, [&](StepRef ref) {
    const Step& step = step_at(plan, ref);
    if (!graph.alive(step.node))
      raise(ErrorKind::Model,
            fmt::format("streams[{}][{}] names node {}, which is not in the graph",
                        ref.stream.index, ref.index, step.node.index));
    for (StepRef wait : step.waits) {
      const bool exists =
          wait.stream.valid() && wait.stream.at() < streams_ && wait.index >= 0 &&
          static_cast<std::size_t>(wait.index) < plan.streams[wait.stream.at()].size();
      if (!exists)
        raise(ErrorKind::Model,
              fmt::format("{} waits for streams[{}][{}], which does not exist",
                          describe(graph, plan, ref), wait.stream.index, wait.index));
    }
  });
}

/// Visits the steps in a possible order; fills the clocks on the way.
std::vector<std::int32_t> HappensBefore::levels(const Graph& graph, const Plan& plan) {
  const std::size_t steps = first_.back();
  std::vector<std::int32_t> missing(steps, 0);
  std::vector<std::vector<StepRef>> waiting(steps);
  std::vector<StepRef> ready;
  for_each_step(plan, [&](StepRef ref) {
    const Step& step = step_at(plan, ref);
    for (StepRef wait : step.waits) waiting[number(wait)].push_back(ref);
    missing[number(ref)] = static_cast<std::int32_t>(step.waits.size()) + (ref.index > 0 ? 1 : 0);
    if (missing[number(ref)] == 0) ready.push_back(ref);
  });

  std::vector<std::int32_t> level(steps, 0);
  std::vector<std::vector<bool>> done(streams_);
  for (std::size_t s = 0; s < streams_; ++s) done[s].resize(plan.streams[s].size());
  for (std::size_t next = 0; next < ready.size(); ++next) {
    const StepRef ref = ready[next];
    done[ref.stream.at()][static_cast<std::size_t>(ref.index)] = true;
    const auto release = [&](StepRef after) {
      advance(ref, after);
      level[number(after)] = std::max(level[number(after)], level[number(ref)] + 1);
      if (--missing[number(after)] == 0) ready.push_back(after);
    };
    for (StepRef after : waiting[number(ref)]) release(after);
    if (static_cast<std::size_t>(ref.index) + 1 < plan.streams[ref.stream.at()].size())
      release({ref.stream, ref.index + 1});
  }
  if (ready.size() < steps)
    for_each_step(plan, [&](StepRef ref) {
      if (!done[ref.stream.at()][static_cast<std::size_t>(ref.index)])
        raise_cycle(graph, plan, done, ref);
    });
  return level;
}

void HappensBefore::advance(StepRef before, StepRef step) {
  std::int32_t* to = clocks_.data() + number(step) * streams_;
  const std::int32_t* from = clocks_.data() + number(before) * streams_;
  for (std::size_t s = 0; s < streams_; ++s) to[s] = std::max(to[s], from[s]);
  to[before.stream.at()] = std::max(to[before.stream.at()], before.index + 1);
}

bool HappensBefore::before(const Frontier& all, StepRef b) const {
  const auto clock = ended(b);
  return std::all_of(all.begin(), all.end(),
                     [&](StepRef a) { return clock[a.stream.at()] > a.index; });
}

std::int32_t HappensBefore::settled(const Frontier& frontier) const {
  std::int32_t position = 0;
  for (std::size_t s = 0; s < streams_; ++s) {
    // Along a stream clocks only grow, so the steps that come after the frontier are its tail.
    std::int32_t low = 0;
    auto high = static_cast<std::int32_t>(first_[s + 1] - first_[s]);
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (before(frontier, {stream_id(s), middle}))
        high = middle;
      else
        low = middle + 1;
    }
    if (low > 0) position = std::max(position, this->position({stream_id(s), low - 1}) + 1);
  }
  return position;
}

void reduce_waits(const Graph& graph, Plan& plan) {
  const HappensBefore order(graph, plan);
  for_each_step(plan, [&](StepRef ref) {
    Frontier waits;  // of each stream only the last
    for (StepRef wait : step_at(plan, ref).waits) extend(waits, wait);
    Frontier kept;
    for (StepRef wait : waits) {
      const auto implies = [&](StepRef other) { return order.before(wait, other); };
      const bool implied = wait.stream == ref.stream ||
                           (ref.index > 0 && implies({ref.stream, ref.index - 1})) ||
                           std::any_of(waits.begin(), waits.end(), implies);
      if (!implied) kept.push_back(wait);
    }
    plan.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)].waits = std::move(kept);
  });
}

}  // namespace braid
