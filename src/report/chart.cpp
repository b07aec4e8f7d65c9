#include "report/chart.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "plan/happens_before.h"
#include "report/chart_memory.h"

namespace braid {
namespace {

constexpr std::size_t kMostPoints = 4'000;  // of a series

class Drawing {
 public:
  Drawing(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {
    for (const auto& stream : plan.streams) last_.emplace_back(stream.size(), -1);
  }

  Chart draw(const Trace& trace, int lanes) {
    add_spans(trace);
    link_waits();
    find_path();
    add_memory();
    chart_.usage = trace.series;
    if (chart_.usage.empty()) add_lanes(lanes);
    for (TraceSeries& series : chart_.usage)
      series.points = thinned(std::move(series.points), chart_.end_us, kMostPoints, Thin::Mean);
    return std::move(chart_);
  }

 private:
  std::int32_t& last(StepRef step) {
    return last_[step.stream.at()][static_cast<std::size_t>(step.index)];
  }
  ChartSpan& span(std::int32_t index) { return chart_.spans[static_cast<std::size_t>(index)]; }

  void add_spans(const Trace& trace) {
    const auto steps = steps_by_node(graph_, plan_);
    for (const TraceEvent& event : trace.events) {
      if (event.is_wait()) continue;
      require(event.node >= 0 && static_cast<std::size_t>(event.node) < steps.size(),
              "a Trace names the nodes of its events");
      const auto& parts = steps[static_cast<std::size_t>(event.node)];
      const auto found = std::find_if(parts.begin(), parts.end(), [&](StepRef ref) {
        return step_at(plan_, ref).part == event.part;
      });
      require(found != parts.end(), "a Trace is one of the Plan");
      chart_.spans.push_back(
          {*found, NodeId(event.node), event.begin_us, event.end_us, event.kernel});
      chart_.end_us = std::max(chart_.end_us, event.end_us);
    }
    std::sort(chart_.spans.begin(), chart_.spans.end(), [](const ChartSpan& a, const ChartSpan& b) {
      return std::tie(a.step, a.begin_us, a.end_us) < std::tie(b.step, b.begin_us, b.end_us);
    });
    for (std::size_t i = 0; i < chart_.spans.size(); ++i)
      last(chart_.spans[i].step) = static_cast<std::int32_t>(i);
  }

  /// Notes what each span waits for. A step is done when it has ended, or, if it does nothing, when
  /// those before it have.
  void link_waits() {
    const HappensBefore order(graph_, plan_);
    std::vector<std::vector<Frontier>> done;
    for (const auto& stream : plan_.streams) done.emplace_back(stream.size());
    for (StepRef ref : order.order()) {
      Frontier before;
      auto& row = done[ref.stream.at()];
      if (ref.index > 0) before = row[static_cast<std::size_t>(ref.index) - 1];
      for (StepRef wait : step_at(plan_, ref).waits)
        extend(before, done[wait.stream.at()][static_cast<std::size_t>(wait.index)]);
      if (last(ref) < 0) {
        row[static_cast<std::size_t>(ref.index)] = std::move(before);
        continue;
      }
      row[static_cast<std::size_t>(ref.index)] = {ref};
      ChartSpan& first = span(first_of(ref));
      for (StepRef other : before)
        if (other.stream != ref.stream) first.waits.push_back(last(other));
    }
  }

  std::int32_t first_of(StepRef ref) {
    std::int32_t index = last(ref);
    while (index > 0 && span(index - 1).step == ref) --index;
    return index;
  }

  void find_path() {
    const auto& spans = chart_.spans;
    if (spans.empty()) return;
    const auto ends_before = [](const ChartSpan& a, const ChartSpan& b) {
      return a.end_us < b.end_us;
    };
    auto at = static_cast<std::int32_t>(std::max_element(spans.begin(), spans.end(), ends_before) -
                                        spans.begin());
    while (at >= 0) {
      chart_.path.push_back(at);
      const ChartSpan& here = span(at);
      const bool follows = at > 0 && span(at - 1).step.stream == here.step.stream;
      std::int32_t next = follows ? at - 1 : -1;
      for (std::int32_t wait : here.waits)
        if (next < 0 || ends_before(span(next), span(wait))) next = wait;
      at = next;
    }
    std::reverse(chart_.path.begin(), chart_.path.end());
  }

  void add_memory() {
    StepTimes times;
    for (const auto& stream : plan_.streams) times.emplace_back(stream.size());
    for (const ChartSpan& drawn : chart_.spans) {
      Extent& time = times[drawn.step.stream.at()][static_cast<std::size_t>(drawn.step.index)];
      if (time.end_us <= time.begin_us) time.begin_us = drawn.begin_us;
      time.end_us = drawn.end_us;
    }
    auto points = summed(arena_use(graph_, plan_, times));
    double most = 0;
    for (const TraceSeries::Point& point : points) most = std::max(most, point.value);
    chart_.peak_bytes = static_cast<std::int64_t>(most);
    chart_.memory = {"arena bytes",
                     thinned(std::move(points), chart_.end_us, kMostPoints, Thin::Most)};
  }

  void add_lanes(int lanes) {
    std::vector<Extent> busy;
    for (const ChartSpan& drawn : chart_.spans)
      busy.push_back({drawn.begin_us, drawn.end_us, 1.0 / std::max(1, lanes)});
    chart_.usage.push_back({"lanes at work", summed(busy)});
  }

  const Graph& graph_;
  const Plan& plan_;
  Chart chart_;
  std::vector<std::vector<std::int32_t>> last_;  // span of a step; -1: none
};

}  // namespace

double Chart::path_us() const {
  double sum = 0;
  for (std::int32_t index : path) {
    const ChartSpan& span = spans[static_cast<std::size_t>(index)];
    sum += span.end_us - span.begin_us;
  }
  return sum;
}

Chart chart_of(const Graph& lowered, const Plan& plan, const Trace& trace, int lanes) {
  return Drawing(lowered, plan).draw(trace, lanes);
}

}  // namespace braid
