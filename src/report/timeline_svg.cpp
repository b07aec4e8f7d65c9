#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/node_label.h"
#include "report/pictures.h"

namespace braid {
namespace {

constexpr double kLeft = 90;
constexpr double kWidth = 1500;  // of the time axis
constexpr double kRight = 20;
constexpr double kLaneRow = 16;
constexpr double kCaption = 26;
constexpr double kTop = 74;
constexpr double kLeastBar = 0.25;    // narrower ones melt into their neighbours
constexpr double kLeastTitled = 1.5;  // wide enough to be pointed at

double tick_us(double least) {
  const double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-3))));
  for (double digit : {1.0, 2.0, 5.0})
    if (digit * power >= least) return digit * power;
  return 10 * power;
}

/// A colour for each operator, from the one that takes most time on.
class OperatorColours {
 public:
  OperatorColours(const Graph& graph, const Chart& chart) {
    std::map<std::string, double> times;
    for (const ChartSpan& span : chart.spans)
      times[graph.node(span.node).op] += span.end_us - span.begin_us;
    for (const auto& [op, time] : times) order_.emplace_back(-time, op);
    std::sort(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i].second] = i;
  }
  std::string_view colour(const std::string& op) const {
    const auto found = rank_.find(op);
    return operator_colour(found == rank_.end() ? std::string::npos : found->second);
  }
  const std::vector<std::pair<double, std::string>>& order() const { return order_; }

 private:
  std::vector<std::pair<double, std::string>> order_;  // minus the time, operator
  std::map<std::string, std::size_t> rank_;
};

class TimelineSvg {
 public:
  TimelineSvg(const Report& report, const ReportModel& model)
      : report_(report),
        model_(model),
        colours_(model.graph_of(model.runs[model.reference]), model.runs[model.reference].chart) {
    end_us_ = model.least_axis_us;
    for (const ReportRun& run : model.runs) end_us_ = std::max(end_us_, run.chart.end_us);
    if (end_us_ <= 0) end_us_ = 1;
  }

  std::string draw() {
    add_legend();
    double top = kTop;
    for (const ReportRun& run : model_.runs) {
      add_run(run, top);
      top += kCaption + kLaneRow * static_cast<double>(run.plan.streams.size());
    }
    add_axis(top);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
               "viewBox=\"0 0 {0} {1}\">\n"
               "<style>text{{font:11px sans-serif;fill:#1b1f24}}.faint{{fill:#5b6470}}"
               ".end{{text-anchor:end}}.middle{{text-anchor:middle}}.name{{font-weight:bold}}"
               "line{{stroke:#d5dae0}}.path{{fill:#c9143c}}</style>\n"
               "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
               kLeft + kWidth + kRight, top + 34) +
           text_ + "</svg>\n";
  }

 private:
  double x(double us) const { return kLeft + kWidth * us / end_us_; }

  void add_legend() {
    text_ += fmt::format(
        "<text x=\"10\" y=\"20\" class=\"name\">{}</text><text x=\"10\" y=\"36\" "
        "class=\"faint\">{}</text>\n",
        escaped_markup(fmt::format("{} on {}{}", printable(model_.name), printable(report_.device),
                                   report_.simulated ? " (simulated)" : " (measured)")),
        escaped_markup(fmt::format("Braid {}: {}; red: critical path", report_.version,
                                   printable(report_.command, 160))));
    double left = 10;
    for (std::size_t i = 0; i < std::min<std::size_t>(colours_.order().size(), 10); ++i) {
      const std::string op = printable(colours_.order()[i].second, 24);
      text_ += fmt::format(
          "<rect x=\"{}\" y=\"46\" width=\"11\" height=\"11\" fill=\"{}\"/><text x=\"{}\" "
          "y=\"56\">{}</text>\n",
          left, operator_colour(i), left + 15, escaped_markup(op));
      left += 30 + 7 * static_cast<double>(op.size());
    }
  }

  void add_run(const ReportRun& run, double top) {
    text_ += fmt::format(
        "<text x=\"10\" y=\"{}\"><tspan class=\"name\">{}</tspan> {}</text>\n", top + 17,
        escaped_markup(printable(model_.label(run))),
        fmt::format("{:.3f} ms on {}", run.chart.end_us / 1e3,
                    counted(static_cast<std::int64_t>(run.plan.streams.size()), "stream")));
    const double rows = top + kCaption;
    for (std::size_t stream = 0; stream < run.plan.streams.size(); ++stream) {
      const double y = rows + kLaneRow * static_cast<double>(stream);
      text_ += fmt::format(
          "<text x=\"{}\" y=\"{}\" class=\"faint end\">{} {}</text><rect x=\"{}\" y=\"{}\" "
          "width=\"{}\" height=\"{}\" fill=\"#eef0f3\"/>\n",
          kLeft - 6, y + 12, report_.simulated ? "stream" : "lane", stream, kLeft, y + 1, kWidth,
          kLaneRow - 2);
    }
    std::vector<bool> is_critical(run.chart.spans.size(), false);
    for (std::int32_t span : run.chart.path) is_critical[static_cast<std::size_t>(span)] = true;
    std::vector<double> drawn(run.plan.streams.size(), -1);   // to where, of a row
    std::vector<double> marked(run.plan.streams.size(), -1);  // the same of its red line
    for (std::size_t i = 0; i < run.chart.spans.size(); ++i) {
      const ChartSpan& span = run.chart.spans[i];
      const std::size_t stream = span.step.stream.at();
      const double y = rows + kLaneRow * static_cast<double>(stream);
      add_bar(run, span, y, drawn[stream]);
      if (is_critical[i]) add_mark(span, y, marked[stream]);
    }
  }

  void add_bar(const ReportRun& run, const ChartSpan& span, double y, double& drawn_to) {
    const double width = std::max(x(span.end_us) - x(span.begin_us), kLeastBar);
    if (x(span.end_us) <= drawn_to) return;
    drawn_to = x(span.begin_us) + width;
    const Graph& graph = model_.graph_of(run);
    const Node& node = graph.node(span.node);
    const std::string bar =
        fmt::format("<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"",
                    x(span.begin_us), y + 1, width, kLaneRow - 2, colours_.colour(node.op));
    if (width < kLeastTitled) {
      text_ += bar + "/>\n";
      return;
    }
    const Step& step = step_at(run.plan, span.step);
    const std::string part =
        step.parts > 1 ? fmt::format(", part {} of {}", step.part + 1, step.parts) : "";
    text_ +=
        fmt::format("{}><title>{}</title></rect>\n", bar,
                    escaped_markup(fmt::format("{} {}{}: {:.2f} us from {:.2f} us",
                                               printable(node.op), label(graph, span.node), part,
                                               span.end_us - span.begin_us, span.begin_us)));
  }

  void add_mark(const ChartSpan& span, double y, double& marked_to) {
    const double width = std::max(x(span.end_us) - x(span.begin_us), kLeastBar);
    if (x(span.end_us) <= marked_to) return;
    marked_to = x(span.begin_us) + width;
    text_ += fmt::format(
        "<rect class=\"path\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"2.5\"/>\n",
        x(span.begin_us), y + kLaneRow - 3.5, width);
  }

  void add_axis(double top) {
    const double step = tick_us(end_us_ / 12);
    for (std::int64_t tick = 0; static_cast<double>(tick) * step <= end_us_; ++tick) {
      const double us = static_cast<double>(tick) * step;
      text_ += fmt::format(
          "<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.2f}\" "
          "y=\"{3}\" class=\"faint middle\">{4}</text>\n",
          x(us), top + 4, top + 9, top + 22,
          step >= 100 ? fmt::format("{:g} ms", us / 1e3) : fmt::format("{:g} us", us));
    }
  }

  const Report& report_;
  const ReportModel& model_;
  OperatorColours colours_;
  double end_us_ = 0;
  std::string text_;
};

}  // namespace

std::string timeline_svg(const Report& report, const ReportModel& model) {
  return TimelineSvg(report, model).draw();
}

}  // namespace braid
