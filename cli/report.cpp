#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/contenders.h"
#include "cli/model_argument.h"
#include "cli/optimise_modes.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cost/verdict.h"
#include "measure/turns.h"
#include "report/page.h"
#include "report/pictures.h"
#include "schedule/schedulers.h"

namespace braid::cli {
namespace {

constexpr int kTracedRuns = 5;              ///< of each Plan; the median one is drawn
constexpr std::size_t kFewestSamples = 10;  ///< from which a verdict may be drawn

struct ReportArguments : ContenderOptions {
  std::string output;
  JsonOutput json;
  std::string svg;
  std::string graph_svg;
  std::string dot;
  bool optimises = false;
  int iterations = 60;
  double duration = 20;
  bool quiet = false;
};

/// Whether a contender is our own scheduler; a loaded Plan is not.
bool is_ours(std::string_view contender) {
  return std::ranges::any_of(schedulers(), [&](const Scheduler& row) {
    return row.tries_others && row.name == contender;
  });
}

/// A Plan made runnable, and its times.
struct Reported {
  std::string scheduler;
  bool optimised = false;
  std::shared_ptr<const Optimised> found = {};
  Runnable prepared;
  std::vector<double> times_us = {};
  Trace trace = {};
};

/// What other schedulers make is drawn as it is; ours is what would be shipped.
std::vector<Reported> prepare_contenders(const Graph& graph, const Device& device,
                                         const ReportArguments& options,
                                         const ModelArgument& argument, const Progress& progress) {
  if (!options.plan.save.empty() && options.models.size() != 1)
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  PipelineOptions stages = pipeline_options(options.settings, argument, progress);
  stages.costs.measure = true;
  std::vector<Reported> contenders;
  for (PreparedModel& made : prepare_contenders(graph, device, options, stages,
                                                [](const auto& name) { return is_ours(name); }))
    contenders.push_back({.scheduler = std::move(made.scheduler),
                          .optimised = made.found != nullptr,
                          .found = made.found,
                          .prepared = std::move(made.prepared)});
  return contenders;
}

void measure(std::vector<Reported>& contenders, const std::vector<Tensor>& inputs,
             const ReportArguments& options, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  std::vector<Turn> turns;
  for (const Reported& contender : contenders)
    turns.emplace_back([&] {
      const auto start = Clock::now();
      run(contender.prepared, inputs);
      return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    });
  TurnOptions how{.iterations = options.iterations, .seconds = options.duration};
  how.progress = progress;
  const TurnTimes result = take_turns(turns, how);
  if (result.cancelled) raise(ErrorKind::Cancelled, "stopped while measuring");
  for (std::size_t i = 0; i < contenders.size(); ++i) contenders[i].times_us = result.times[i];
}

double end_us(const Trace& trace) {
  double end = 0;
  for (const TraceEvent& event : trace.events) end = std::max(end, event.end_us);
  return end;
}

Trace median_trace(const Runnable& prepared, const std::vector<Tensor>& inputs) {
  std::vector<Trace> traces(kTracedRuns);
  for (Trace& trace : traces) run(prepared, inputs, {.trace = &trace});
  const auto middle = traces.begin() + kTracedRuns / 2;
  std::nth_element(traces.begin(), middle, traces.end(),
                   [](const Trace& a, const Trace& b) { return end_us(a) < end_us(b); });
  return std::move(*middle);
}

void compare_measured(ReportModel& model) {
  const std::vector<double>& ours = model.runs[model.reference].times_us;
  for (ReportRun& run : model.runs) {
    run.ratio = ratio_of_times(run.times_us, ours);
    run.verdict = ours.size() < kFewestSamples ? "unclear" : name(verdict_of(inverse(run.ratio)));
  }
}

void compare_simulated(ReportModel& model, const std::vector<SimulatedTime>& times) {
  const SimulatedTime& ours = times[model.reference];
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Band band = ratio_band(times[i], ours);
    model.runs[i].ratio = {band.median, band.p10, band.p90};
    model.runs[i].verdict = name(compare(times[i], ours));
  }
}

/// The draws' times of each, with the nominal run as its Trace.
std::vector<SimulatedTime> simulate(std::vector<Reported>& contenders, const Progress& progress) {
  std::vector<SimulatedTime> times;
  for (Reported& contender : contenders) {
    braid::report(progress, "simulating", static_cast<std::int64_t>(times.size()),
                  static_cast<std::int64_t>(contenders.size()));
    times.push_back(*contender.prepared.program->simulate(&contender.trace));
    contender.times_us = times.back().draws_us;
  }
  return times;
}

/// What the search for a graph found, if there was one.
std::shared_ptr<const Optimised> found_by(const std::vector<Reported>& contenders) {
  const auto of_search = std::ranges::find_if(
      contenders, [](const Reported& contender) { return contender.found != nullptr; });
  return of_search == contenders.end() ? nullptr : of_search->found;
}

/// A graph that no rule changed would be measured and drawn twice.
void drop_unchanged(std::vector<Reported>& contenders) {
  std::erase_if(contenders, [](const Reported& contender) {
    return contender.found != nullptr && contender.found->rounds.empty();
  });
}

/// All but its lowered graph.
ReportRewriting rewriting_of(const OptimiseReport& report) {
  const auto change = [](const BeforeAfter& figure) {
    return ReportChange{figure.before, figure.after};
  };
  ReportRewriting rewriting{.lowered = {},
                            .reason = report.reason,
                            .critical_path_us = change(report.critical_path_us),
                            .sum_us = change(report.sum_us),
                            .width = change(report.width)};
  for (const RuleCount& rule : report.rules) rewriting.rules.emplace_back(rule.name, rule.count);
  return rewriting;
}

/// What the contenders made, drawn; ours, of the graph as it was given, is the reference if it is
/// among them.
ReportModel drawn(const std::string& called, std::vector<Reported> contenders,
                  const Optimised* found, int lanes) {
  ReportModel model;
  model.name = called;
  if (found != nullptr) model.rewriting = rewriting_of(found->report);
  model.lowered = contenders[0].prepared.lowered();
  for (Reported& contender : contenders) {
    Runnable& prepared = contender.prepared;
    if (contender.optimised) model.rewriting->lowered = prepared.lowered();
    if (is_ours(contender.scheduler) && !contender.optimised) model.reference = model.runs.size();
    Chart chart = chart_of(prepared.lowered(), prepared.plan, contender.trace, lanes);
    model.runs.push_back({.scheduler = contender.scheduler,
                          .optimised = contender.optimised,
                          .plan = std::move(prepared.plan),
                          .kept = prepared.reason,
                          .chart = std::move(chart),
                          .times_us = std::move(contender.times_us)});
  }
  return model;
}

ReportModel report_on(const ModelArgument& argument, const Device& device,
                      const ReportArguments& options) {
  const Progress progress = progress_line(options.quiet);
  const RunSettings& settings = options.settings;
  ModelWithInputs loaded = load_model(argument, settings.load_inputs, settings.random, progress);
  auto contenders = prepare_contenders(loaded.graph, device, options, argument, progress);
  const auto found = found_by(contenders);
  drop_unchanged(contenders);
  std::vector<SimulatedTime> simulated;
  if (device.is_simulated()) {
    simulated = simulate(contenders, progress);
  } else {
    const std::vector<Tensor> inputs = loaded.make_inputs();
    measure(contenders, inputs, options, progress);
    for (Reported& contender : contenders)
      contender.trace = median_trace(contender.prepared, inputs);
  }
  ReportModel model =
      drawn(argument.model, std::move(contenders), found.get(), device.spec().streams);
  if (device.is_simulated())
    compare_simulated(model, simulated);
  else
    compare_measured(model);
  model.runs[model.reference].verdict = "reference";
  return model;
}

/// The kinds of file that can be asked for.
struct Product {
  const std::string& (*file)(const ReportArguments&);
  std::string (*make)(const Report&);
};

const ReportRun& reference(const ReportModel& model) { return model.runs[model.reference]; }

constexpr std::array kProducts = {
    Product{[](const ReportArguments& o) -> const std::string& { return o.output; }, html_page},
    Product{[](const ReportArguments& o) -> const std::string& { return o.json.file; },
            [](const Report& report) { return to_json(report); }},
    Product{[](const ReportArguments& o) -> const std::string& { return o.svg; },
            [](const Report& report) { return timeline_svg(report, report.models[0]); }},
    Product{[](const ReportArguments& o) -> const std::string& { return o.graph_svg; },
            [](const Report& report) {
              const ReportModel& model = report.models[0];
              return graph_svg(model.lowered, reference(model).plan);
            }},
    Product{[](const ReportArguments& o) -> const std::string& { return o.dot; },
            [](const Report& report) {
              const ReportModel& model = report.models[0];
              return graph_dot(model.lowered, reference(model).plan);
            }},
};

void check_files(ReportArguments& options) {
  const bool pictures = !options.svg.empty() || !options.graph_svg.empty() || !options.dot.empty();
  if (pictures && options.models.size() > 1)
    raise(ErrorKind::Usage, "--svg, --graph-svg and --dot draw one model; name one");
  if (!pictures && options.output.empty() && !options.json.wanted()) options.output = "report.html";
}

void write_report(const Report& report, const ReportArguments& options) {
  for (const Product& product : kProducts) {
    const std::string& file = product.file(options);
    if (file.empty()) continue;
    if (file == "-") {
      fmt::print("{}", product.make(report));
      continue;
    }
    write_file(file, product.make(report));
    if (!options.quiet) fmt::print(stderr, "wrote {}\n", printable(file));
  }
}

int make_report(ReportArguments& options) {
  check_files(options);
  if (options.optimises) options.optimise = {"none", "mixed"};
  chosen_optimise_modes(options.optimise, options.optimise_seconds);
  const auto device = open_device(options.settings);
  Report report{.version = BRAID_VERSION,
                .command = command_line(),
                .device = options.settings.device,
                .hardware = device->fingerprint(),
                .threads = device->spec().streams,
                .seed = options.settings.random.number(),
                .simulated = device->is_simulated(),
                .models = {}};
  for (const std::string& name : options.models) {
    ModelArgument argument = options.model;
    argument.model = name;
    report.models.push_back(report_on(argument, *device, options));
  }
  write_report(report, options);
  return 0;
}

}  // namespace

Action configure_report(OptionSet& add) {
  auto options = std::make_shared<ReportArguments>();
  add_contender_options(add, *options);
  add.section(Section::How);
  add.list("--schedulers", options->schedulers, "Schedulers to draw: " + schedulers_help(),
           ListOf::Names, "NAME", "all");
  add.flag("--optimise,--optimize", options->optimises,
           "Show each model as `optimize` rewrites it, too, and by which rules");
  add_remeasure_flag(add, options->settings.stages.costs);
  add.integer("--iterations", options->iterations, "Measure each so many times at most", 1,
              1'000'000'000);
  add.real("--duration", options->duration, "Begin no round after so many seconds of a model");
  add.output("-o,--output", options->output,
             "The page; report.html unless another kind of file is asked for");
  add.json(options->json, "Print the data behind the page as JSON");
  add.output("--svg", options->svg, "Write the timelines as SVG");
  add.output(
      "--graph-svg", options->graph_svg,
      "Write the graph coloured by stream as SVG: by braid's Plan, or the first scheduler's");
  add.output("--dot", options->dot, "Write the same graph in the DOT language");
  add.needs("--optimise-seconds", {"--optimise"}, "there is no search without it");
  add_contender_conditions(add, *options);
  add.section(Section::Print);
  add.flag("-q,--quiet", options->quiet, "No progress and no summary");
  return [options] { return make_report(*options); };
}

}  // namespace braid::cli
