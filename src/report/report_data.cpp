#include "report/report_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/node_label.h"

namespace braid {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t nanoseconds(double us) { return std::llround(us * 1e3); }
/// A few digits are enough for a picture.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json nodes_json(const Graph& graph, const std::vector<NodeId>& ids) {
  Json name = Json::array();
  Json op = Json::array();
  Json implementation = Json::array();
  for (NodeId id : ids) {
    const Node& node = graph.node(id);
    name.push_back(label(graph, id));
    op.push_back(printable(node.op));
    implementation.push_back(printable(node.lowering.implementation));
  }
  return {{"name", name}, {"op", op}, {"implementation", implementation}};
}

/// Columns rather than objects: a page holds thousands of spans.
class SpanColumns {
 public:
  SpanColumns(const ReportRun& run, const std::vector<std::int64_t>& place) {
    const auto& spans = run.chart.spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const ChartSpan& span = spans[i];
      const Step& step = step_at(run.plan, span.step);
      node_.push_back(place[span.node.at()]);
      stream_.push_back(span.step.stream.index);
      part_.push_back(step.part);
      parts_.push_back(step.parts);
      begin_.push_back(nanoseconds(span.begin_us));
      end_.push_back(nanoseconds(span.end_us));
      kernel_.push_back(kernel(span.kernel));
      for (std::int32_t other : span.waits) {
        waiting_.push_back(i);
        for_.push_back(other);
      }
    }
  }

  Json json() const {
    return {{"node", node_},       {"stream", stream_}, {"part", part_},     {"parts", parts_},
            {"begin_ns", begin_},  {"end_ns", end_},    {"kernel", kernel_}, {"kernels", kernels_},
            {"waiting", waiting_}, {"waits_for", for_}};
  }

 private:
  /// Its place in `kernels`; -1: the node's implementation says it all.
  std::int64_t kernel(const std::string& called) {
    if (called.empty()) return -1;
    const auto [entry, fresh] = known_.try_emplace(called, kernels_.size());
    if (fresh) kernels_.push_back(printable(called));
    return static_cast<std::int64_t>(entry->second);
  }

  Json node_ = Json::array();
  Json stream_ = Json::array();
  Json part_ = Json::array();
  Json parts_ = Json::array();
  Json begin_ = Json::array();
  Json end_ = Json::array();
  Json kernel_ = Json::array();
  Json waiting_ = Json::array();
  Json for_ = Json::array();
  std::vector<std::string> kernels_;
  std::map<std::string, std::size_t> known_;
};

Json series_json(const TraceSeries& series) {
  Json at = Json::array();
  Json value = Json::array();
  for (const TraceSeries::Point& point : series.points) {
    at.push_back(nanoseconds(point.at_us));
    value.push_back(rounded(point.value));
  }
  return {{"name", series.name}, {"at_ns", at}, {"value", value}};
}

std::int64_t waits_of(const Plan& plan) {
  std::int64_t waits = 0;
  for (const auto& stream : plan.streams)
    for (const Step& step : stream) waits += static_cast<std::int64_t>(step.waits.size());
  return waits;
}

Json run_json(const ReportRun& run, const std::vector<std::int64_t>& place, bool simulated) {
  const ReportTime time = time_of(run, simulated);
  Json out = {{"scheduler", run.scheduler},
              {"optimised", run.optimised},
              {"plan_by", printable(run.plan.scheduler)},
              {"kept", run.kept},
              {"streams", run.plan.streams.size()},
              {"waits", waits_of(run.plan)},
              {"arena_bytes", run.plan.arena_bytes},
              {"peak_bytes", run.chart.peak_bytes},
              {"time_us", rounded(time.time_us)},
              {"time_low_us", rounded(time.low_us)},
              {"time_high_us", rounded(time.high_us)},
              {"samples", run.times_us.size()},
              {"ratio", rounded(run.ratio.ratio)},
              {"ratio_low", rounded(run.ratio.low)},
              {"ratio_high", rounded(run.ratio.high)},
              {"verdict", run.verdict},
              {"end_us", rounded(run.chart.end_us)},
              {"path_us", rounded(run.chart.path_us())},
              {"spans", SpanColumns(run, place).json()},
              {"path", run.chart.path}};
  out["usage"] = Json::array();
  for (const TraceSeries& series : run.chart.usage) out["usage"].push_back(series_json(series));
  out["memory"] = series_json(run.chart.memory);
  return out;
}

/// The position of each node of a graph in its columns, by id.
std::vector<std::int64_t> places_of(const Graph& graph) {
  std::vector<std::int64_t> place(graph.node_limit(), -1);
  std::int64_t next = 0;
  for (NodeId id : graph.node_ids()) place[id.at()] = next++;
  return place;
}

Json change_json(const ReportChange& change) {
  return {{"before", rounded(change.before)}, {"after", rounded(change.after)}};
}

Json rewriting_json(const ReportRewriting& rewriting) {
  Json out = {{"nodes", nodes_json(rewriting.lowered, rewriting.lowered.node_ids())},
              {"rules", Json::object()},
              {"reason", rewriting.reason},
              {"critical_path_us", change_json(rewriting.critical_path_us)},
              {"sum_us", change_json(rewriting.sum_us)},
              {"width", change_json(rewriting.width)}};
  for (const auto& [rule, count] : rewriting.rules) out["rules"][rule] = count;
  return out;
}

Json model_json(const ReportModel& model, bool simulated) {
  Json out = {{"model", printable(model.name)},
              {"reference", model.reference},
              {"nodes", nodes_json(model.lowered, model.lowered.node_ids())}};
  if (model.rewriting) out["optimised"] = rewriting_json(*model.rewriting);
  const std::vector<std::int64_t> place = places_of(model.lowered);
  const std::vector<std::int64_t> place_optimised =
      model.rewriting ? places_of(model.rewriting->lowered) : place;
  out["runs"] = Json::array();
  for (const ReportRun& run : model.runs)
    out["runs"].push_back(run_json(run, run.optimised ? place_optimised : place, simulated));
  return out;
}

}  // namespace

std::string ReportModel::label(const ReportRun& run) const {
  if (!std::ranges::any_of(runs, &ReportRun::optimised)) return run.scheduler;
  return run.scheduler + (run.optimised ? ", optimised" : ", as given");
}

ReportTime time_of(const ReportRun& run, bool simulated) {
  if (run.times_us.empty()) return {run.chart.end_us, run.chart.end_us, run.chart.end_us};
  return {percentile(run.times_us, simulated ? 50 : kContestPercentile),
          percentile(run.times_us, 10), percentile(run.times_us, simulated ? 90 : 50)};
}

std::string to_json(const Report& report) {
  Json out = {{"format", "braid-report"},
              {"version", 1},
              {"braid", report.version},
              {"command", printable(report.command, 2000)},
              {"device", printable(report.device)},
              {"hardware", printable(report.hardware, 1000)},
              {"threads", report.threads},
              {"seed", report.seed},
              {"simulated", report.simulated}};
  out["models"] = Json::array();
  for (const ReportModel& model : report.models)
    out["models"].push_back(model_json(model, report.simulated));
  return out.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace braid
