#include "report.h"

#include <set>

#include <fmt/format.h>

#include "contest.h"
#include "figures.h"

namespace braid::autograph_table {
namespace {

using Json = nlohmann::ordered_json;

/// One time over another, and what the paper says of it.
struct RatioColumn {
  std::string title;
  std::string over;
  std::string of;
  std::string published_over = {};
  std::string published_of = {};
};

const std::vector<RatioColumn>& ratio_columns() {
  static const std::vector<RatioColumn> table = {
      {"`braid` ÷ ours", "braid", "ours"},
      {"before ÷ ours", "before", "ours"},
      {"TASO + `braid` ÷ ours", "taso+braid", "ours"},
      {"TASO + Nimble ÷ ours", "taso+nimble", "ours", "taso+nimble", "ours"},
      {"sequential ÷ TASO + sequential", "sequential", "taso+sequential", "sequential",
       "taso+sequential"},
      {"Nimble ÷ TASO + Nimble", "nimble", "taso+nimble", "nimble", "taso+nimble"},
      {"`braid` ÷ TASO + `braid`", "braid", "taso+braid"},
      {"Nimble as exported, `+framework` ÷ ours", "exported-framework+nimble", "ours", "nimble",
       "ours"},
      {"Nimble as exported, our kernels ÷ ours", "exported+nimble", "ours"},
  };
  return table;
}

std::optional<double> published_ratio(const PublishedTable& published, const std::string& model,
                                      const RatioColumn& column) {
  return published.ratio(model, column.published_over, column.published_of);
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string head_of(const std::vector<std::string>& cells) {
  std::string rule = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) rule += "---|";
  return row_of(cells) + rule + "\n";
}

std::vector<Json> contests_on(const Json& document, const std::string& device) {
  std::vector<Json> result;
  for (const Json& contest : document["contests"])
    if (contest["device"] == device) result.push_back(contest);
  return result;
}

std::string model_of(const Json& cell) {
  const std::string title = title_of(cell["model"].get<std::string>());
  const auto batch = cell["batch"].get<std::int64_t>();
  return batch == 1 ? title : fmt::format("{}, batch {}", title, batch);
}

std::string times_table(const std::vector<Json>& contests, const PublishedTable& published) {
  std::vector<std::string> head = {"ms, simulated (published)"};
  for (const Column& column : columns()) head.push_back(column.title);
  std::string text = head_of(head);
  for (const Json& contest : contests) {
    std::vector<std::string> cells = {model_of(contest)};
    for (const Column& column : columns()) {
      const auto time = time_in(contest["times"], column.key);
      std::string cell = time ? fmt::format("{:.3f}", time->band_us().median / 1e3) : "–";
      if (const auto other = published.milliseconds(contest["model"], column.key))
        cell += fmt::format(" ({:.3f})", *other);
      cells.push_back(cell);
    }
    text += row_of(cells);
  }
  return text;
}

/// Geometric means of the medians, and of what was published of the same models.
std::vector<std::string> means_row(const std::string& title, const std::vector<Json>& contests,
                                   const PublishedTable& published) {
  std::vector<std::string> cells = {title};
  for (const RatioColumn& column : ratio_columns()) {
    std::vector<double> ours;
    std::vector<double> theirs;
    for (const Json& contest : contests) {
      if (const auto ratio = ratio_in(contest["times"], column.over, column.of))
        ours.push_back(ratio->band.median);
      if (const auto ratio = published_ratio(published, contest["model"], column))
        theirs.push_back(*ratio);
    }
    std::string cell = fmt::format("**{:.3f}**", geometric_mean(ours));
    if (!theirs.empty()) cell += fmt::format(" ({:.3f})", geometric_mean(theirs));
    cells.push_back(cell);
  }
  return cells;
}

std::string ratios_table(const std::vector<Json>& contests, const PublishedTable& published) {
  std::vector<std::string> head = {"median [p10, p90] (published)"};
  for (const RatioColumn& column : ratio_columns()) head.push_back(column.title);
  std::string text = head_of(head);
  for (const Json& contest : contests) {
    std::vector<std::string> cells = {model_of(contest)};
    for (const RatioColumn& column : ratio_columns()) {
      const auto ratio = ratio_in(contest["times"], column.over, column.of);
      std::string cell = ratio ? text_of(ratio->band) : "–";
      if (ratio && column.over == "braid" && column.of == "ours") cell += " " + ratio->verdict;
      if (const auto other = published_ratio(published, contest["model"], column))
        cell += fmt::format(" ({:.3f})", *other);
      cells.push_back(cell);
    }
    text += row_of(cells);
  }
  text += row_of(means_row("geometric mean", contests, published));
  std::vector<Json> others = contests;
  std::erase_if(others, [](const Json& contest) { return contest["model"] == "resnext-50"; });
  if (!others.empty() && others.size() < contests.size())
    text += row_of(means_row("without ResNeXt-50", others, published));
  return text;
}

std::string seconds_to(const Json& optimised, const std::string& key) {
  const Json& gain = optimised["nearly_all"];
  return gain.is_null() ? "–" : fmt::format("{:.1f}", gain[key].get<double>());
}

std::string rules_of(const Json& optimised) {
  std::string text;
  for (const auto& [rule, count] : optimised["rules"].items())
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", rule, count.get<std::int64_t>());
  return text.empty() ? "none: what was given came back" : text;
}

std::string change_of(const Json& figure, double unit, int digits) {
  return fmt::format("{:.{}f} → {:.{}f}", figure["before"].get<double>() / unit, digits,
                     figure["after"].get<double>() / unit, digits);
}

/// What the searches did and what they took.
std::string searches_table(const std::vector<Json>& contests) {
  std::string text =
      head_of({"ours", "rules", "graphs tried", "stopped by", "seconds, processor",
               "to 95 % of the gain, processor", "critical path, ms", "sum, ms", "width"});
  for (const Json& contest : contests) {
    const Json& ours = contest["ours"];
    text += row_of({model_of(contest), rules_of(ours),
                    fmt::format("{}", ours["candidates"].get<std::int64_t>()),
                    ours["stopped"].get<std::string>(),
                    fmt::format("{:.1f}, {:.1f}", ours["seconds"].get<double>(),
                                ours["processor_seconds"].get<double>()),
                    seconds_to(ours, "seconds") + ", " + seconds_to(ours, "processor_seconds"),
                    change_of(ours["critical_path_us"], 1e3, 3), change_of(ours["sum_us"], 1e3, 3),
                    change_of(ours["width"], 1, 0)});
  }
  return text;
}

std::string fast_groups_table(const Json& document) {
  if (!document.contains("fast_groups")) return {};
  std::string text =
      "\n### Grouped kernels at the fast end\n\nThe same on a GPU whose kernels for grouped "
      "convolutions (`conv_grouped`, which no measurement covers) have the efficiency and the "
      "fixed time of the fast end of what draws are made of.\n\n" +
      head_of({"", "device", "`braid`, ms", "÷ the graph found on the GPU as it is",
               "÷ the graph found there"});
  for (const Json& row : document["fast_groups"]) {
    const Json& times = row["times"];
    text += row_of({model_of(row), row["device"].get<std::string>(),
                    fmt::format("{:.3f}", times["before"]["median_ms"].get<double>()),
                    text_of(ratio_in(times, "before", "same")->band),
                    text_of(ratio_in(times, "before", "after")->band)});
  }
  return text;
}

std::string ablation_table(const Json& ablation) {
  std::string text =
      fmt::format("\n### Ablation: {} on {}\n\n{:.0f} s each.\n\n", model_of(ablation),
                  ablation["device"].get<std::string>(), ablation["seconds"].get<double>());
  text += head_of({"", "before ÷ after", "verdict", "graphs tried", "processor seconds",
                   "of these to 95 % of the gain", "stopped by"});
  for (const Json& row : ablation["rows"]) {
    const auto ratio = ratio_in(row["times"], "before", "after");
    const Json& optimised = row["optimised"];
    text += row_of({row["title"].get<std::string>(), text_of(ratio->band), ratio->verdict,
                    fmt::format("{}", optimised["candidates"].get<std::int64_t>()),
                    fmt::format("{:.1f}", optimised["processor_seconds"].get<double>()),
                    seconds_to(optimised, "processor_seconds"),
                    optimised["stopped"].get<std::string>()});
  }
  return text;
}

std::string sweep_table(const Json& document) {
  if (!document.contains("sweep")) return {};
  std::string text = "\n### Other GPUs and batches\n\n" +
                     head_of({"", "device", "batch", "before, ms", "before ÷ after", "verdict"});
  std::vector<double> ratios;
  for (const Json& cell : document["sweep"]) {
    const auto ratio = ratio_in(cell["times"], "before", "after");
    ratios.push_back(ratio->band.median);
    text += row_of({title_of(cell["model"].get<std::string>()), cell["device"].get<std::string>(),
                    fmt::format("{}", cell["batch"].get<std::int64_t>()),
                    fmt::format("{:.3f}", cell["times"]["before"]["median_ms"].get<double>()),
                    text_of(ratio->band), ratio->verdict});
  }
  return text + fmt::format("\nGeometric mean of {} cells: {:.3f}.\n", ratios.size(),
                            geometric_mean(ratios));
}

std::string contests_text(const Json& document, const PublishedTable& published) {
  if (!document.contains("contests")) return {};
  std::string text =
      "## AutoGraph's table again, simulated\n\nTimes are medians over the draws that are only "
      "reported; ratios are taken draw by draw, and those above 1 say that what stands below the "
      "line is faster. TASO is the graph that a search by the sum of all operators finds, judged "
      "by nothing else. `braid` is our best schedule of the canonical graph, searched for as long "
      "as the whole optimisation takes; *before* is what the optimisation began with, searched for "
      "as long as the Plan of its result. In brackets is what AutoGraph's authors measured (Table "
      "2; which "
      "GPU is not known), where *sequential* is PyTorch's JIT.\n";
  std::vector<std::string> devices;
  for (const Json& contest : document["contests"]) {
    const auto device = contest["device"].get<std::string>();
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  for (const std::string& device : devices) {
    const std::vector<Json> contests = contests_on(document, device);
    text += fmt::format("\n### {}\n\n{}\n{}\n{}", device, times_table(contests, published),
                        ratios_table(contests, published), searches_table(contests));
  }
  return text;
}

}  // namespace

std::string markdown(const Json& document, const PublishedTable& published) {
  std::string text = contests_text(document, published) + fast_groups_table(document);
  if (document.contains("ablations"))
    for (const Json& ablation : document["ablations"]) text += ablation_table(ablation);
  return text + sweep_table(document);
}

void add_ratios(Json& contest, const PublishedTable& published) {
  const auto model = contest["model"].get<std::string>();
  contest["ratios"] = Json::array();
  for (const RatioColumn& column : ratio_columns()) {
    const auto ratio = ratio_in(contest["times"], column.over, column.of);
    if (!ratio) continue;
    Json row = {{"over", column.over},    {"of", column.of},        {"median", ratio->band.median},
                {"p10", ratio->band.p10}, {"p90", ratio->band.p90}, {"verdict", ratio->verdict}};
    if (const auto other = published_ratio(published, model, column)) row["published"] = *other;
    contest["ratios"].push_back(std::move(row));
  }
  for (auto& [key, time] : contest["times"].items())
    if (const auto other = published.milliseconds(model, key)) time["published_ms"] = *other;
}

void append(Json& document, const Json& other) {
  for (const char* list : {"contests", "fast_groups", "ablations", "sweep"})
    if (other.contains(list))
      for (const Json& row : other[list]) document[list].push_back(row);
}

}  // namespace braid::autograph_table
