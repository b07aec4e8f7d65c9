#include "trace/trace.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace braid {
namespace {

constexpr int kProcess = 1;

/// Bytes that are not UTF-8 become U+FFFD: the reader expects valid JSON.
std::string line(const nlohmann::ordered_json& event) {
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A name for each row, and its place from top to bottom.
void add_row(std::vector<std::string>& lines, int stream) {
  lines.push_back(line({{"name", "thread_name"},
                        {"ph", "M"},
                        {"pid", kProcess},
                        {"tid", stream},
                        {"args", {{"name", "stream " + std::to_string(stream)}}}}));
  lines.push_back(line({{"name", "thread_sort_index"},
                        {"ph", "M"},
                        {"pid", kProcess},
                        {"tid", stream},
                        {"args", {{"sort_index", stream}}}}));
}

std::string title(const TraceEvent& event) {
  return event.kernel.empty() ? event.name : event.name + " [" + event.kernel + "]";
}

/// Whole nanoseconds, so that two events that touch do not seem to overlap.
double rounded(double us) { return std::round(us * 1000) / 1000; }

void add_counter(std::vector<std::string>& lines, const TraceSeries& series) {
  for (const TraceSeries::Point& point : series.points)
    lines.push_back(line({{"name", series.name},
                          {"ph", "C"},
                          {"ts", rounded(point.at_us)},
                          {"pid", kProcess},
                          {"args", {{"share", rounded(point.value)}}}}));
}

}  // namespace

std::string to_chrome_json(const Trace& trace) {
  std::vector<int> streams;
  for (const TraceEvent& event : trace.events) streams.push_back(event.stream);
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());

  std::vector<std::string> lines;
  for (int stream : streams) add_row(lines, stream);
  for (const TraceEvent& event : trace.events) {
    const double begin = rounded(event.begin_us);
    nlohmann::ordered_json entry = {{"name", title(event)},
                                    {"cat", event.category},
                                    {"ph", "X"},
                                    {"ts", begin},
                                    {"dur", rounded(rounded(event.end_us) - begin)},
                                    {"pid", kProcess},
                                    {"tid", event.stream}};
    if (event.parts > 1) entry["args"] = {{"part", event.part}, {"parts", event.parts}};
    lines.push_back(line(entry));
  }
  for (const TraceSeries& series : trace.series) add_counter(lines, series);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += lines[i] + (i + 1 < lines.size() ? ",\n" : "\n");
  return text + "]}\n";
}

}  // namespace braid
