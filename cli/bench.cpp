#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/bench_report.h"
#include "cli/command.h"
#include "cli/contenders.h"
#include "cli/model_argument.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "measure/turns.h"

namespace braid::cli {
namespace {

constexpr int kDefaultIterations = 200;
constexpr double kDefaultSeconds = 30;  ///< of a model, if nothing was asked
constexpr double kCallersTurn = 0.25;   ///< seconds of a turn with several callers

struct BenchArguments : ContenderOptions {
  JsonOutput json;
  int iterations = 0;
  double duration = 0;
  int warm_up = 3;
  int concurrency = 1;
  bool quiet = false;
};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A model under one scheduler, and what its turns measured.
struct Benched {
  std::string name;
  Runnable prepared;
  std::vector<double> times_ms = {};  ///< of single inferences
  double inferences = 0;
  double seconds = 0;
};

std::vector<Benched> prepare_contenders(const Graph& graph, const Device& device,
                                        const BenchArguments& options, const Progress& progress) {
  if (!options.plan.save.empty() && options.models.size() != 1)
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  PipelineOptions stages = pipeline_options(options.settings, options.model, progress);
  stages.costs.measure = true;
  std::vector<Benched> contenders;
  for (PreparedModel& made : prepare_contenders(graph, device, options.schedulers, options.plan,
                                                stages, [](const auto&) { return true; }))
    contenders.push_back({.name = std::move(made.name), .prepared = std::move(made.prepared)});
  return contenders;
}

/// No schedule may change a bit of a result.
void check_same_outputs(const std::vector<Benched>& contenders, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> expected;
  for (const Benched& contender : contenders) {
    const std::vector<Tensor> outputs = run(contender.prepared, inputs);
    if (expected.empty()) expected = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!identical(outputs[i], expected[i]))
        raise(ErrorKind::Mismatch, fmt::format("the output {} under {} is not that under {}",
                                               quote(contender.prepared.graph().outputs()[i].name),
                                               contender.name, contenders[0].name));
  }
}

double single_turn(Benched& contender, const std::vector<Tensor>& inputs) {
  const auto start = Clock::now();
  run(contender.prepared, inputs);
  contender.times_ms.push_back(milliseconds_since(start));
  return contender.times_ms.back();
}

/// Callers that call again until the turn is over; the result is the time per inference.
double callers_turn(Benched& contender, const std::vector<Tensor>& inputs, int callers) {
  std::mutex mutex;
  std::exception_ptr problem;
  std::size_t done = 0;
  const auto start = Clock::now();
  const auto call = [&] {
    std::vector<double> times_ms;
    try {
      do {
        const auto begin = Clock::now();
        run(contender.prepared, inputs);
        times_ms.push_back(milliseconds_since(begin));
      } while (milliseconds_since(start) < kCallersTurn * 1e3);
    } catch (...) {
      const std::lock_guard lock(mutex);
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done += times_ms.size();
    contender.times_ms.insert(contender.times_ms.end(), times_ms.begin(), times_ms.end());
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
  const double ms = milliseconds_since(start);
  contender.inferences += static_cast<double>(done);
  contender.seconds += ms / 1e3;
  return ms / static_cast<double>(done);
}

TurnOptions turn_options(const BenchArguments& options, const std::string& model,
                         const Progress& progress) {
  TurnOptions contest;
  contest.iterations = options.iterations > 0 ? options.iterations : 1'000'000'000;
  contest.seconds = options.duration;
  if (options.iterations == 0 && options.duration <= 0) {
    contest.iterations = options.concurrency > 1 ? kDefaultIterations / 10 : kDefaultIterations;
    contest.seconds = kDefaultSeconds;
  }
  contest.warm_up = options.warm_up;
  contest.progress = [progress, model](std::string_view, std::int64_t done, std::int64_t total) {
    return progress("measuring " + model, done, total < 1'000'000'000 ? total : 0);
  };
  return contest;
}

BenchRow row_of(const Benched& contender, const std::string& model) {
  BenchRow row;
  row.model = model;
  row.scheduler = contender.name;
  row.times_ms = contender.times_ms;
  row.arena_bytes = contender.prepared.plan.arena_bytes;
  row.streams = static_cast<std::int64_t>(contender.prepared.plan.streams.size());
  if (contender.seconds > 0) row.inferences_per_s = contender.inferences / contender.seconds;
  return row;
}

/// Adds a row per contender unless there is nothing to tell. False: the user stopped it.
bool measure(std::vector<Benched>& contenders, const std::vector<Tensor>& inputs,
             const std::string& model, const BenchArguments& options, const Progress& progress,
             std::vector<BenchRow>& rows) {
  check_same_outputs(contenders, inputs);
  std::vector<Turn> turns;
  for (Benched& contender : contenders)
    turns.emplace_back([&] {
      return options.concurrency > 1 ? callers_turn(contender, inputs, options.concurrency)
                                     : single_turn(contender, inputs);
    });
  TurnOptions warming = turn_options(options, model, progress);
  warming.iterations = 0;
  TurnOptions contest = turn_options(options, model, progress);
  contest.warm_up = 0;
  if (take_turns(turns, warming).cancelled) return false;
  for (Benched& contender : contenders)
    contender = {.name = contender.name, .prepared = std::move(contender.prepared)};
  const TurnTimes result = take_turns(turns, contest);
  if (result.times[0].empty()) return false;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (options.concurrency == 1) contenders[i].times_ms = result.times[i];
    rows.push_back(row_of(contenders[i], model));
    rows.back().ratio = ratio_of_times(result.times[0], result.times[i]);
  }
  return !result.cancelled;
}

void simulate(const std::vector<Benched>& contenders, const std::string& model,
              std::vector<BenchRow>& rows) {
  std::optional<SimulatedTime> first;
  for (const Benched& contender : contenders) {
    const SimulatedTime time = *contender.prepared.program->simulate();
    BenchRow row = row_of(contender, model);
    for (double us : time.draws_us) row.times_ms.push_back(us / 1e3);
    row.nominal_ms = time.nominal_us / 1e3;
    if (first)
      row.verdict = compare(time, *first);
    else
      first = time;
    const Band band = ratio_band(*first, time);
    row.ratio = {band.median, band.p10, band.p90};
    rows.push_back(std::move(row));
  }
}

bool bench_model(const BenchArguments& options, const ModelArgument& argument, const Device& device,
                 BenchSetting& setting, std::vector<BenchRow>& rows) {
  const Progress progress = progress_line(options.quiet);
  ModelWithInputs model =
      load_model(argument, options.settings.load_inputs, options.settings.random, progress);
  std::vector<Benched> contenders = prepare_contenders(model.graph, device, options, progress);
  setting.simulated = device.is_simulated();
  if (!setting.simulated)
    return measure(contenders, model.make_inputs(), argument.model, options, progress, rows);
  simulate(contenders, argument.model, rows);
  return true;
}

void print(const std::vector<BenchRow>& rows, const BenchSetting& setting,
           const BenchArguments& options) {
  if (options.json.wanted()) options.json.write(bench_json(rows, setting));
  if (options.json.replaces_text()) return;
  fmt::print("{}", bench_table(rows, setting));
  if (setting.simulated) {
    fmt::print(
        "\nsimulated on {}: nominal is the model itself, the others are of 16 perturbed models "
        "that no search has seen;\nratios are medians with their 10th and 90th percentiles, above "
        "1: faster than the first; a difference that does\nnot hold in nine of ten, or is below "
        "{:.0f} %, is a tie\n",
        setting.device, kSimulatedResolution * 100);
    return;
  }
  fmt::print(
      "\n{}, {} threads{}; contenders alternate; ratios of 20th percentiles with 95 % intervals, "
      "above 1: faster than the first\n",
      setting.device, setting.threads,
      setting.concurrency > 1 ? fmt::format(", {} callers at once", setting.concurrency) : "");
}

int bench(const BenchArguments& options) {
  const auto device = open_device(options.settings);
  BenchSetting setting{.device = options.settings.device,
                       .threads = device->spec().streams,
                       .concurrency = options.concurrency,
                       .batch = options.model.batch,
                       .seed = options.settings.random.number()};
  std::vector<BenchRow> rows;
  for (const std::string& name : options.models) {
    ModelArgument argument = options.model;
    argument.model = name;
    try {
      setting.stopped = !bench_model(options, argument, *device, setting, rows);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Cancelled || rows.empty()) throw;
      setting.stopped = true;
    }
    if (setting.stopped) break;
  }
  print(rows, setting, options);
  if (!setting.stopped) return 0;
  fmt::print(stderr, "braid: stopped; this is what was measured until then\n");
  return exit_code(ErrorKind::Cancelled);
}

}  // namespace

Action configure_bench(OptionSet& add) {
  auto options = std::make_shared<BenchArguments>();
  add_contender_options(add, *options);
  add_remeasure_flag(add, options->settings.stages.costs);
  add.integer("--iterations", options->iterations,
              "Measure each so many times; 0: until --duration is over, or 200 times or 30 s", 0,
              1'000'000'000);
  add.real("--duration", options->duration, "Begin no round after so many seconds of a model");
  add.integer("--warmup,--warm-up", options->warm_up, "Inferences of each that do not count", 0,
              1'000'000);
  add.integer("-c,--concurrency", options->concurrency,
              "Call from so many threads at once, and measure throughput", 1, 4096);
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return bench(*options); };
}

}  // namespace braid::cli
