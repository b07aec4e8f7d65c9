#include "print.h"

#include <fmt/format.h>

namespace braid::gpu_model {
namespace {

std::string unit_of(const PublishedRow& row) { return row.is_ratio() ? "x" : "ms"; }

std::string others_of(const PublishedRow& row) {
  std::string text;
  for (const bench::OtherValue& other : row.others)
    text += fmt::format("{}{:.3g}", text.empty() ? "also " : ", ", other.value);
  return text;
}

void print_errors(std::FILE* out, const std::vector<ErrorGroup>& groups) {
  fmt::print(out, "\n{:32}{:>6}{:>14}{:>14}{:>16}\n", "errors", "rows", "mean absolute", "worst",
             "inside p10-p90");
  for (const ErrorGroup& group : groups)
    fmt::print(out, "{:32}{:>6}{:>12.1f} %{:>12.1f} %{:>14.0f} %\n", group.name, group.rows,
               100 * group.mean_error, 100 * group.worst_error, 100 * group.inside_band);
}

void print_widths(std::FILE* out, const char* what, const Widths& widths) {
  fmt::print(out, "{:32}{:>6}{:>14.2f}{:>14.2f}\n", what, widths.rows, widths.median, widths.most);
}

void print_outside(std::FILE* out, const std::vector<OutsideCount>& counts) {
  std::size_t all = 0;
  for (const OutsideCount& count : counts) all += count.values;
  if (all == 0) return;
  fmt::print(out, "{} published figures lie outside the model:\n", all);
  for (const OutsideCount& count : counts)
    fmt::print(out, "  {:4}  {}\n", count.values, count.reason);
}

}  // namespace

void print_head(std::FILE* out) {
  fmt::print(out, "{:46}{:>11}{:>11}  {:17}{:>9}  {:4}{:6}{}\n",
             "all figures but the published: simulated", "published", "simulated", "[p10, p90]",
             "error", "in", "use", "");
}

void print_row(std::FILE* out, const SimulatedRow& row) {
  const PublishedRow& what = row.row;
  if (!row.skipped.empty()) {
    fmt::print(out, "{:46}{:>8.3f} {:2}  skipped: {}\n", what.id, what.published, unit_of(what),
               row.skipped);
    return;
  }
  fmt::print(out, "{:46}{:>8.3f} {:2}{:>8.3f} {:2}  {:17}{:>7.1f} %  {:4}{:6}{}\n", what.id,
             what.published, unit_of(what), row.nominal, unit_of(what),
             fmt::format("[{:.3f}, {:.3f}]", row.band.p10, row.band.p90), 100 * row.error(),
             row.inside_band() ? "yes" : "no", what.used_for, others_of(what));
}

void print_summary(std::FILE* out, const Summary& summary) {
  print_errors(out, summary.errors);
  fmt::print(out, "\n{:32}{:>6}{:>14}{:>14}\n", "p90 over p10", "rows", "median", "most");
  print_widths(out, "times", summary.times);
  print_widths(out, "ratios of two Plans", summary.ratios);
  if (!summary.first.empty())
    fmt::print(out, "\nwhere Opara was measured first (within 1 %), sequential over it:\n");
  for (const FirstCase& one : summary.first)
    fmt::print(out, "  {:44}{:.3f}, best other {:.3f} ({}): {}\n", one.name, one.opara,
               one.best_other, one.other, one.is_first ? "first" : "NOT first");
  if (!summary.launch_order.empty()) fmt::print(out, "\nGoogLeNet, launch order alone:\n");
  for (const SimulatedRow& row : summary.launch_order)
    fmt::print(out, "  {:44}{:.3f} [{:.3f}, {:.3f}], published {:.3f}\n", row.row.id, row.nominal,
               row.band.p10, row.band.p90, row.row.published);
  fmt::print(out, "\n{} rows skipped\n", summary.skipped);
  print_outside(out, summary.outside);
}

}  // namespace braid::gpu_model
