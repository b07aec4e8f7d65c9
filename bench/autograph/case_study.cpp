#include "case_study.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "cut_out.h"
#include "devices/open.h"
#include "optimise/moves.h"
#include "pipeline/trials.h"
#include "report/pictures.h"
#include "zoo/zoo.h"

namespace braid::autograph_table {
namespace {

constexpr std::string_view kModel = "nasnet-a-mobile";
constexpr std::string_view kCell = "cell_2/";
constexpr std::string_view kTitle = "a normal cell of NASNet-A mobile";
/// Without a clock: graphs that the optimisation looks at, and changes that a search of Plans
/// tries.
constexpr std::int64_t kCandidates = 1500;
constexpr int kPlanSteps = 2000;

/// A graph with a Plan, what it costs and how long it takes.
struct Stage {
  std::string title;
  TrialCost cost = {};
  SimulatedTime time = {};
  std::size_t streams = 0;
};

class CaseStudy {
 public:
  CaseStudy(std::string folder, const Setting& setting, std::string command)
      : folder_(std::move(folder)),
        setting_(setting),
        command_(std::move(command)),
        device_(open_device(setting.device)) {}

  void run() {
    const auto given = std::make_shared<const Canonical>(
        canonical(cut_out(zoo::build(kModel), kCell), *device_, stage_options()));
    OptimiseOptions how = setting_.optimise_options();
    if (setting_.seconds <= 0) how.candidates = kCandidates;
    const Optimised done = optimised(given, *device_, options_, how);
    how.cost = RewriteCost::Sum;
    how.verify = false;
    const Optimised by_sum = optimised(given, *device_, options_, how);
    std::filesystem::create_directories(folder_);
    draw({{"before", "before", &done.before},
          {"after", "after", &done.after},
          {"by-sum", "by the sum alone", &by_sum.after}});
    print(done, by_sum);
  }

 private:
  ReportModel drawing(const Planned& planned, const std::string& what) const {
    Trace trace;
    const SimulatedTime time = *device_->compile(planned.lowered(), planned.plan)->simulate(&trace);
    ReportModel model;
    model.name = fmt::format("{}, {}", kTitle, what);
    model.lowered = planned.lowered();
    model.runs.push_back(
        {.scheduler = "braid",
         .plan = planned.plan,
         .chart = chart_of(planned.lowered(), planned.plan, trace, device_->spec().streams),
         .times_us = time.draws_us});
    return model;
  }

  struct Picture {
    std::string file;
    std::string title;
    const Planned* planned;
  };

  /// All timelines have the same axis.
  void draw(const std::vector<Picture>& pictures) const {
    std::vector<ReportModel> models;
    double end_us = 0;
    for (const Picture& picture : pictures) {
      models.push_back(drawing(*picture.planned, picture.title));
      end_us = std::max(end_us, models.back().runs[0].chart.end_us);
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
      models[i].least_axis_us = end_us;
      write("nasnet-cell-" + pictures[i].file, models[i]);
    }
  }

  void write(const std::string& stem, const ReportModel& model) const {
    Report report;
    report.version = BRAID_VERSION;
    report.command = command_;
    report.device = setting_.device;
    report.simulated = true;
    const std::filesystem::path folder = folder_;
    write_file(folder / (stem + "-timeline.svg"), timeline_svg(report, model));
    write_file(folder / (stem + "-graph.svg"), graph_svg(model.lowered, model.runs[0].plan));
  }

  Stage stage_of(std::string title, const Planned& planned) const {
    const auto open = open_trials(*device_, options_, nullptr);
    return {std::move(title), open(planned.graph(), nullptr)->cost(), simulated(planned, *device_),
            planned.plan.streams.size()};
  }

  /// The graphs after one round, two and so on, each with a Plan of its own.
  std::vector<Stage> stages(const Optimised& done) const {
    std::vector<Stage> result = {stage_of("canonical", done.before)};
    const Graph& given = done.before.graph();
    RewrittenGraph rewritten(given, rewrite_limits(given));
    for (std::size_t i = 0; i < done.rounds.size(); ++i) {
      rewritten.replay({done.rounds[i]});
      const std::string title = title_of_round(i, done.rounds[i]);
      result.push_back(i + 1 == done.rounds.size() ? stage_of(title, done.after)
                                                   : stage_of(title, plan_of(rewritten.graph())));
    }
    return result;
  }

  static std::string title_of_round(std::size_t i, const Round& round) {
    std::string text = fmt::format("{}.", i + 1);
    for (const RuleCount& rule : rule_counts({round}))
      text += fmt::format(" `{}` × {}", rule.name, rule.count);
    return text;
  }

  Planned plan_of(const Graph& graph) const {
    auto model = std::make_shared<Canonical>();
    model->graph = graph;
    PipelineOptions options = options_;
    options.plan.thorough = true;
    options.plan.search_steps = kPlanSteps;
    auto with_costs = costed(model, lowered(*model, *device_, options), *device_, options);
    return planned(std::move(with_costs), *device_, options);
  }

  void print(const Optimised& done, const Optimised& by_sum) const {
    fmt::print("| {} on {} | critical path, µs | sum, µs | launches | streams | µs [p10, p90] |\n",
               kTitle, setting_.device);
    fmt::print("|---|---|---|---|---|---|\n");
    std::vector<Stage> rows = stages(done);
    rows.push_back(stage_of("by the sum of all operators alone", by_sum.after));
    for (const Stage& stage : rows) {
      const Band band = stage.time.band_us();
      fmt::print("| {} | {:.1f} | {:.1f} | {:.0f} | {} | {:.1f} [{:.1f}, {:.1f}] |\n", stage.title,
                 stage.cost.critical_path_us, stage.cost.sum_us, stage.cost.launches, stage.streams,
                 band.median, band.p10, band.p90);
    }
    const OptimiseReport& report = done.report;
    fmt::print(
        "\nBefore ÷ after: {:.3f} [{:.3f}, {:.3f}]; {} graphs, stopped by {}; width {} → {}.\n",
        report.ratio_band.median, report.ratio_band.p10, report.ratio_band.p90, report.candidates,
        name(report.stopped), report.width.before, report.width.after);
    print_moves("Moves", done);
    print_moves("Moves by the sum alone", by_sum);
  }

  static void print_moves(std::string_view title, const Optimised& done) {
    fmt::print("\n{}:\n", title);
    for (std::size_t i = 0; i < done.rounds.size(); ++i)
      for (const Move& move : done.rounds[i])
        fmt::print("- {}. `{}` at `{}`\n", i + 1, move.rule, move.anchor);
  }

  std::string folder_;
  const Setting& setting_;
  std::string command_;
  PipelineOptions options_ = stage_options();
  std::unique_ptr<Device> device_;
};

}  // namespace

void draw_case_study(const std::string& folder, const Setting& setting, std::string command) {
  CaseStudy(folder, setting, std::move(command)).run();
}

}  // namespace braid::autograph_table
