#include "report/chrome_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "cost/signature.h"
#include "ops/call.h"
#include "report/chart.h"
#include "report/node_label.h"

namespace braid {
namespace {

using TraceJson = nlohmann::ordered_json;

/// Perfetto joins rows with equal ids, whatever file they come from, takes row 0 for the idle task
/// and a row with its process's id for the main thread. So each trace takes a block of ids of its
/// own: the first is the process, those that follow are its streams.
constexpr std::int64_t kIdBlock = 4096;
constexpr std::uint64_t kIdBlocks = 500'000;  // all ids have 31 bits

/// A bar in a row. Bars of a row have some length and do not overlap: viewers drop those that do.
struct Slice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t span = -1;  ///< of the Chart; of a wait, the one that comes after it
  bool is_wait = false;
};

/// The order of events at one moment.
enum Rank : std::uint8_t { kSlice, kArrowTail, kArrowHead, kCounter };

std::int64_t whole_ns(double us) { return std::llround(us * 1000); }
double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

/// Bytes that are not UTF-8 become U+FFFD: the reader expects valid JSON. Backslashes are written
/// by their number: Perfetto takes the quote behind an escaped one for part of the text.
std::string line(const TraceJson& json) {
  const std::string text = json.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '\\') continue;
    ++i;
    if (text[i] == '\\')
      out += "u005c";
    else
      out += text[i];
  }
  return out;
}

TraceJson values_json(const Graph& graph, const std::vector<ValueId>& ids) {
  TraceJson list = TraceJson::array();
  for (const ValueId id : ids) {
    if (!id.valid()) continue;
    const Value& value = graph.value(id);
    std::string text = value.name + ": " + to_string(value.type);
    if (!value.layout.empty()) text += " <" + value.layout + ">";
    list.push_back(graph.is_constant(id) ? text + " constant" : text);
  }
  return list;
}

class ChromeTrace {
 public:
  ChromeTrace(const TracedRun& run, const Trace& trace)
      : run_(run), trace_(trace), chart_(chart_of(run.lowered, run.plan, trace, 1)) {
    add_rows();
    process_ = choose_process();
  }

  std::string text() {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      for (const Slice& slice : rows_[row]) add_slice(row, slice);
    std::int64_t arrows = 0;
    for (std::size_t i = 0; i < chart_.spans.size(); ++i)
      for (const std::int32_t awaited : chart_.spans[i].waits)
        add_arrow(static_cast<std::size_t>(awaited), i, ++arrows);
    for (const TraceSeries& series : trace_.series) add_counter(series, "share");
    add_counter({"arena", chart_.memory.points}, "bytes");
    return written();
  }

 private:
  std::string title() const {
    return fmt::format("Braid {} on {}{}", run_.model, run_.device.name,
                       run_.simulated ? " (simulated)" : "");
  }
  std::string row_name(std::size_t row) const {
    return fmt::format("{} {}", run_.device.launches ? "stream" : "lane", row);
  }
  std::int64_t row_id(std::size_t row) const {
    return process_ + 1 + static_cast<std::int64_t>(row);
  }

  /// Puts the spans and waits of each stream one after another.
  void add_rows() {
    rows_.resize(run_.plan.streams.size());
    for (std::size_t i = 0; i < chart_.spans.size(); ++i) {
      const ChartSpan& span = chart_.spans[i];
      rows_[span.step.stream.at()].push_back(
          {whole_ns(span.begin_us), whole_ns(span.end_us), static_cast<std::int32_t>(i), false});
    }
    for (const TraceEvent& event : trace_.events)
      if (event.is_wait())
        rows_[static_cast<std::size_t>(event.stream)].push_back(
            {whole_ns(event.begin_us), whole_ns(event.end_us), -1, true});
    places_.resize(chart_.spans.size());
    for (auto& row : rows_) lay_out(row);
  }

  void lay_out(std::vector<Slice>& row) {
    std::sort(row.begin(), row.end(), [](const Slice& a, const Slice& b) {
      return std::tie(a.begin_ns, a.end_ns, a.span) < std::tie(b.begin_ns, b.end_ns, b.span);
    });
    std::int64_t free_ns = 0;
    for (Slice& slice : row) {
      slice.begin_ns = std::max(slice.begin_ns, free_ns);
      slice.end_ns = std::max(slice.end_ns, slice.begin_ns + 1);
      free_ns = slice.end_ns;
      if (!slice.is_wait) places_[static_cast<std::size_t>(slice.span)] = slice;
    }
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      if (row[i].is_wait) row[i].span = row[i + 1].span;
  }

  std::int64_t choose_process() const {
    Hasher hasher;
    hasher.add(title());
    hasher.add(run_.plan.graph);
    for (const auto& row : rows_) {
      hasher.add(row.size());
      for (const Slice& slice : row) {
        hasher.add(slice.begin_ns);
        hasher.add(slice.end_ns);
      }
    }
    const std::uint64_t block = 1 + hasher.finish().low % kIdBlocks;
    return static_cast<std::int64_t>(block) * kIdBlock;
  }

  const ChartSpan& span_of(const Slice& slice) const {
    return chart_.spans[static_cast<std::size_t>(slice.span)];
  }
  std::string name_of(const ChartSpan& span) const {
    const std::string name = label(run_.lowered, span.node);
    return span.kernel.empty() ? name : name + " [" + span.kernel + "]";
  }

  TraceJson node_json(NodeId id) const {
    const Node& node = run_.lowered.node(id);
    const Work done = work(run_.lowered, id);
    TraceJson json = {{"name", label(run_.lowered, id)},
                      {"operator", node.op},
                      {"inputs", values_json(run_.lowered, node.inputs)},
                      {"outputs", values_json(run_.lowered, node.outputs)},
                      {"flops", done.flops},
                      {"bytes_read", done.bytes_read},
                      {"bytes_written", done.bytes_written}};
    if (!node.lowering.implementation.empty())
      json["implementation"] = node.lowering.implementation;
    return json;
  }

  TraceJson slice_args(const ChartSpan& span) const {
    const Step& step = step_at(run_.plan, span.step);
    TraceJson args = {{"node", node_json(span.node)}};
    if (step.parts > 1) {
      args["part"] = step.part;
      args["parts"] = step.parts;
    }
    if (step.way > 0) args["variant"] = step.way;
    if (!span.kernel.empty()) args["kernel"] = span.kernel;
    args["time"] = run_.simulated ? "simulated" : "measured";
    args["expected_us"] = run_.costs.cost(run_.lowered, span.node, step.parts).time_us;
    const bool known = run_.costs.find(signature(run_.lowered, span.node, step.parts)) != nullptr;
    args["expected_from"] = known ? "measurement" : "model";
    return args;
  }

  TraceJson wait_args(const Slice& slice) const {
    TraceJson awaited = TraceJson::array();
    if (slice.span >= 0)
      for (const std::int32_t other : span_of(slice).waits)
        awaited.push_back(name_of(chart_.spans[static_cast<std::size_t>(other)]));
    return {{"for", awaited}};
  }

  void add(std::int64_t at_ns, Rank rank, const TraceJson& event) {
    events_[{at_ns, rank}].push_back(line(event));
  }

  void add_slice(std::size_t row, const Slice& slice) {
    const std::string next = slice.span < 0 ? "" : name_of(span_of(slice));
    TraceJson json = {{"name", slice.is_wait ? "wait before " + next : next},
                      {"cat", slice.is_wait ? std::string(kWaitCategory)
                                            : run_.lowered.node(span_of(slice).node).op},
                      {"ph", "X"},
                      {"ts", microseconds(slice.begin_ns)},
                      {"dur", microseconds(slice.end_ns - slice.begin_ns)},
                      {"pid", process_},
                      {"tid", row_id(row)}};
    json["args"] = slice.is_wait ? wait_args(slice) : slice_args(span_of(slice));
    add(slice.begin_ns, kSlice, json);
  }

  /// An arrow belongs to the slices that are open at its ends: its tail is just before the end of
  /// one.
  void add_arrow(std::size_t from, std::size_t to, std::int64_t number) {
    const std::int64_t head_ns = places_[to].begin_ns;
    const std::int64_t tail_ns =
        std::max(places_[from].begin_ns, std::min(places_[from].end_ns - 1, head_ns));
    const auto end = [&](const char* phase, std::size_t span, std::int64_t at_ns) {
      return TraceJson{{"name", "wait"},
                       {"cat", kWaitCategory},
                       {"ph", phase},
                       {"id", fmt::format("{:#x}", process_ << 32 | number)},
                       {"ts", microseconds(at_ns)},
                       {"pid", process_},
                       {"tid", row_id(chart_.spans[span].step.stream.at())}};
    };
    add(tail_ns, kArrowTail, end("s", from, tail_ns));
    TraceJson head = end("f", to, head_ns);
    head["bp"] = "e";
    add(head_ns, kArrowHead, head);
  }

  void add_counter(const TraceSeries& series, const char* unit) {
    for (const TraceSeries::Point& point : series.points) {
      const std::int64_t at_ns = whole_ns(point.at_us);
      add(at_ns, kCounter,
          {{"name", series.name},
           {"ph", "C"},
           {"ts", microseconds(at_ns)},
           {"pid", process_},
           {"args", {{unit, std::round(point.value * 1000) / 1000}}}});
    }
  }

  std::string metadata(const char* what, std::int64_t row, TraceJson args) const {
    return line({{"name", what}, {"ph", "M"}, {"pid", process_}, {"tid", row}, {"args", args}});
  }

  std::string written() const {
    std::vector<std::string> lines = {metadata("process_name", row_id(0), {{"name", title()}})};
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      lines.push_back(metadata("thread_name", row_id(row), {{"name", row_name(row)}}));
      lines.push_back(metadata("thread_sort_index", row_id(row), {{"sort_index", row}}));
    }
    for (const auto& [moment, events] : events_)
      lines.insert(lines.end(), events.begin(), events.end());
    TraceJson about = {{"braid", run_.version},
                       {"model", run_.model},
                       {"device", run_.device.name},
                       {"hardware", run_.hardware},
                       {"scheduler", run_.plan.scheduler}};
    if (!run_.kept.empty()) about["kept"] = run_.kept;
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n",
                       line(about), fmt::join(lines, ",\n"));
  }

  const TracedRun& run_;
  const Trace& trace_;
  Chart chart_;
  std::vector<std::vector<Slice>> rows_;  // of each stream
  std::vector<Slice> places_;             // of each span
  std::int64_t process_ = 0;
  std::map<std::pair<std::int64_t, Rank>, std::vector<std::string>> events_;  // of a moment
};

}  // namespace

std::string chrome_trace(const TracedRun& run, const Trace& trace) {
  return ChromeTrace(run, trace).text();
}

}  // namespace braid
