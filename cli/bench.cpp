#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/bench_report.h"
#include "cli/bench_turns.h"
#include "cli/command.h"
#include "cli/contenders.h"
#include "cli/model_argument.h"
#include "cli/optimise_modes.h"
#include "cli/optimise_report.h"
#include "cli/output_comparison.h"
#include "cli/peer_contest.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "devices/open.h"
#include "measure/turns.h"

namespace braid::cli {
namespace {

constexpr int kDefaultIterations = 200;
constexpr double kDefaultSeconds = 30;  ///< of a model, if nothing was asked
constexpr double kCallersTurn = 0.25;   ///< seconds of a turn with several callers
constexpr const char* kBraid = "braid";

struct BenchArguments : ContenderOptions {
  PeerOptions peers;
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

std::vector<PreparedModel> prepare_contenders(const Graph& graph, const Device& device,
                                              const BenchArguments& options,
                                              const Progress& progress) {
  if (!options.plan.save.empty() && options.models.size() != 1)
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  PipelineOptions stages = pipeline_options(options.settings, options.model, progress);
  stages.costs.measure = true;
  return prepare_contenders(graph, device, options, stages, [](const auto&) { return true; });
}

void check_outputs(const PreparedModel& contender, const std::vector<Tensor>& outputs,
                   const PreparedModel& other, const std::vector<Tensor>& expected) {
  const bool exactly = contender.optimise == other.optimise;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputComparison found = compare_output(outputs[i], expected[i], {}, exactly ? 0 : 1);
    if (exactly ? found.is_identical() : found.is_equal()) continue;
    raise(ErrorKind::Mismatch, fmt::format("the output {} under {} is not that under {}: {}",
                                           quote(contender.prepared.graph().outputs()[i].name),
                                           contender.label(), other.label(), mismatch_text(found)));
  }
}

/// No schedule may change a bit of a result, and no rewriting of the graph more than rounding.
/// Gives the outputs of the first.
std::vector<Tensor> same_outputs(const std::vector<PreparedModel>& contenders,
                                 const std::vector<Tensor>& inputs) {
  struct Answer {
    const PreparedModel& of;
    std::vector<Tensor> outputs;
  };
  std::vector<Answer> first;  // of each graph
  for (const PreparedModel& contender : contenders) {
    std::vector<Tensor> outputs = run(contender.prepared, inputs);
    const auto same = std::ranges::find_if(
        first, [&](const Answer& answer) { return answer.of.optimise == contender.optimise; });
    if (same != first.end()) {
      check_outputs(contender, outputs, same->of, same->outputs);
      continue;
    }
    if (!first.empty()) check_outputs(contender, outputs, first[0].of, first[0].outputs);
    first.push_back({contender, std::move(outputs)});
  }
  return std::move(first[0].outputs);
}

TurnSamples single_turn(const Runnable& prepared, const std::vector<Tensor>& inputs) {
  const auto start = Clock::now();
  run(prepared, inputs);
  const double ms = milliseconds_since(start);
  return {{ms}, ms / 1e3};
}

/// Callers that call again until the turn is over.
TurnSamples callers_turn(const Runnable& prepared, const std::vector<Tensor>& inputs, int callers) {
  std::mutex mutex;
  std::exception_ptr problem;
  TurnSamples turn;
  const auto start = Clock::now();
  const auto call = [&] {
    std::vector<double> times_ms;
    try {
      do {
        const auto begin = Clock::now();
        run(prepared, inputs);
        times_ms.push_back(milliseconds_since(begin));
      } while (milliseconds_since(start) < kCallersTurn * 1e3);
    } catch (...) {
      const std::lock_guard lock(mutex);
      problem = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    turn.times_ms.insert(turn.times_ms.end(), times_ms.begin(), times_ms.end());
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
  turn.seconds = milliseconds_since(start) / 1e3;
  return turn;
}

BenchTurns turns_of(const BenchArguments& options, const std::string& model,
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
  return {contest, options.concurrency > 1};
}

BenchRow row_of(const PreparedModel& contender, const std::string& model) {
  BenchRow row;
  row.model = model;
  row.contender = contender.scheduler;
  row.optimise = contender.optimise;
  if (contender.found) row.rules = contender.found->report.rules;
  row.arena_bytes = contender.prepared.plan.arena_bytes;
  row.streams = static_cast<std::int64_t>(contender.prepared.plan.streams.size());
  row.kept = contender.prepared.reason;
  row.settlement = contender.prepared.settlement;
  return row;
}

void enter_schedulers(const std::vector<PreparedModel>& contenders,
                      const std::vector<Tensor>& inputs, const std::string& model, int callers,
                      std::vector<BenchEntrant>& entrants) {
  for (const PreparedModel& contender : contenders)
    entrants.push_back({row_of(contender, model), [&, callers] {
                          return callers > 1 ? callers_turn(contender.prepared, inputs, callers)
                                             : single_turn(contender.prepared, inputs);
                        }});
}

/// Adds the peers of the contest; `pairs` tell how far their outputs are from Braid's.
void enter_peers(PeerContest& contest, const std::vector<PairDifference>& pairs,
                 const std::string& model, int callers, std::vector<BenchEntrant>& entrants) {
  for (Peer& peer : contest.peers()) {
    BenchRow row;
    row.model = model;
    row.contender = peer.name();
    row.peer = PeerRow{.version = peer.version()};
    for (const PairDifference& pair : pairs)
      if (pair.contender == peer.name() && pair.reference == kBraid) row.peer->outputs = pair;
    entrants.push_back({std::move(row), [&peer, callers] {
                          return callers > 1 ? peer.run_callers(callers, kCallersTurn) : peer.run();
                        }});
  }
}

std::vector<std::string> output_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphOutput& output : graph.outputs()) names.push_back(output.name);
  return names;
}

/// What became of the graph in each search, in a sentence.
void tell_searches(const std::vector<PreparedModel>& contenders, const std::string& model,
                   BenchSetting& setting) {
  std::set<std::string> told;
  for (const PreparedModel& contender : contenders) {
    if (!contender.found || !told.insert(contender.optimise).second) continue;
    const OptimiseReport& report = contender.found->report;
    setting.searches.push_back(report.rules.empty()
                                   ? fmt::format("{} left {} as it was: {}", contender.optimise,
                                                 printable(model), report.reason)
                                   : fmt::format("{} rewrote {} by {}", contender.optimise,
                                                 printable(model), rules_text(report.rules)));
  }
}

/// What other runtimes keep of the model at least: its weights, once.
BenchArguments with_peers(BenchArguments options, const Graph& graph, const std::string& model) {
  std::int64_t weights = 0;
  for (const ValueId id : graph.value_ids())
    if (graph.is_constant(id)) weights += byte_size(graph.value(id).type);
  options.others.clear();
  for (const std::string& peer : chosen_peers(options.peers))
    options.others.push_back({fmt::format("{}: weights of {}", peer, model), weights});
  return options;
}

/// Adds a row per contender unless there is nothing to tell. False: the user stopped it.
bool measure_model(ModelWithInputs model, const ModelArgument& argument, const Device& device,
                   const BenchArguments& options, const Progress& progress, BenchSetting& setting,
                   std::vector<BenchRow>& rows) {
  std::optional<PeerContest> contest;
  if (setting.against_peers) contest.emplace(options.peers, argument.model, setting.failures);
  const std::vector<PreparedModel> contenders = prepare_contenders(
      model.graph, device, with_peers(options, model.graph, argument.model), progress);
  if (!model.random.empty()) setting.seed = options.settings.random.number();
  setting.inexact_ways[argument.model] = inexact_ways(contenders[0].prepared.lowered(), device);
  setting.reference[argument.model] = reference_share(contenders[0].prepared);
  tell_searches(contenders, argument.model, setting);
  const std::vector<Tensor> inputs = model.make_inputs();
  const std::vector<Tensor> outputs = same_outputs(contenders, inputs);
  std::vector<BenchEntrant> entrants;
  enter_schedulers(contenders, inputs, argument.model, options.concurrency, entrants);
  if (contest) {
    report(progress, "loading the other runtimes", 0, 0);
    contest->load(argument, model.graph, all_inputs(model, inputs), device.spec().streams,
                  options.concurrency);
    std::vector<ContenderOutputs> answers = contest->outputs();
    answers.insert(answers.begin(), {std::string(kBraid), outputs});
    auto pairs = compare_pairs(answers, output_names(contenders[0].prepared.graph()));
    enter_peers(*contest, pairs, argument.model, options.concurrency, entrants);
    setting.differences.push_back({argument.model, std::move(pairs)});
  }
  const bool finished = measure(entrants, turns_of(options, argument.model, progress));
  for (const BenchEntrant& entrant : entrants) {
    if (!entrant.failure.empty()) contest->give_up(entrant.row.contender, entrant.failure);
    if (entrant.failure.empty() && !entrant.row.times_ms.empty()) rows.push_back(entrant.row);
  }
  return finished;
}

void simulate(const std::vector<PreparedModel>& contenders, const std::string& model,
              std::vector<BenchRow>& rows) {
  std::optional<SimulatedTime> first;
  for (const PreparedModel& contender : contenders) {
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
  setting.simulated = device.is_simulated();
  if (!setting.simulated)
    return measure_model(std::move(model), argument, device, options, progress, setting, rows);
  const auto contenders = prepare_contenders(model.graph, device, options, progress);
  tell_searches(contenders, argument.model, setting);
  simulate(contenders, argument.model, rows);
  return true;
}

void print(const std::vector<BenchRow>& rows, const BenchSetting& setting,
           const BenchArguments& options) {
  if (options.json.wanted()) options.json.write(bench_json(rows, setting));
  if (options.json.replaces_text()) return;
  fmt::print("{}", bench_table(rows, setting));
  fmt::print("{}", kept_table(rows));
  if (!setting.searches.empty()) fmt::print("\n{}\n", fmt::join(setting.searches, "\n"));
  for (const auto& [model, ways] : setting.inexact_ways)
    if (!ways.empty()) fmt::print("\n{}: {}", printable(model), text_of(ways));
  for (const auto& [model, reference] : setting.reference)
    if (!reference.empty()) fmt::print("\n{}: {}", printable(model), text_of(reference));
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
      "\n{}, {}{}; contenders alternate; ratios of 20th percentiles with 95 % intervals, "
      "above 1: faster than the first; an interval that holds 1 is a tie\n",
      setting.device, counted(setting.threads, "thread"),
      setting.concurrency > 1 ? fmt::format(", {} at once", counted(setting.concurrency, "caller"))
                              : "");
  fmt::print("{}", peer_verdicts(rows));
}

/// Tells what is wrong with the peers; the exit code follows.
int tell_findings(const BenchSetting& setting) {
  std::fflush(stdout);
  int code = 0;
  for (const PeerFailure& failure : setting.failures) {
    fmt::print(stderr, "braid: not measured on {}: {}\n", printable(failure.model),
               failure.message);
    code = exit_code(ErrorKind::Unsupported);
  }
  for (const ModelDifferences& found : setting.differences)
    for (const std::string& sentence : difference_sentences(found.pairs)) {
      fmt::print(stderr, "braid: the outputs of {} are not the same: {}\n", printable(found.model),
                 sentence);
      code = exit_code(ErrorKind::Mismatch);
    }
  return code;
}

/// Settles what --against asks for: who it is, and on which cores all of them run.
void prepare_for_peers(BenchArguments& options) {
  if (options.schedulers.empty())
    options.schedulers = {options.peers.against.empty() ? "all" : kBraid};
  if (options.peers.against.empty()) return;
  if (options.settings.device != "cpu")
    raise(ErrorKind::Usage,
          fmt::format("--against measures on this machine's cores, and the times of {} are {}; use "
                      "--device cpu, or leave --against out",
                      printable(options.settings.device),
                      options.settings.device.starts_with("sim:") ? "simulated" : "another's"));
  chosen_peers(options.peers);
  keep_to_cores(braid::open_device("cpu", options.settings.device_options)->spec().streams);
}

int bench(BenchArguments options) {
  prepare_for_peers(options);
  options.callers = options.concurrency;
  chosen_optimise_modes(options.optimise, options.optimise_seconds);
  const auto device = open_device(options.settings);
  BenchSetting setting{.device = options.settings.device,
                       .threads = device->spec().streams,
                       .concurrency = options.concurrency,
                       .batch = options.model.batch,
                       .optimise_seconds = options.optimise_seconds,
                       .against_peers = !options.peers.against.empty()};
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
  const int code = tell_findings(setting);
  if (!setting.stopped) return code;
  fmt::print(stderr, "braid: stopped; this is what was measured until then\n");
  return exit_code(ErrorKind::Cancelled);
}

}  // namespace

Action configure_bench(OptionSet& add) {
  auto options = std::make_shared<BenchArguments>();
  options->schedulers.clear();
  add_contender_options(add, *options);
  add.section(Section::How);
  add.list("--schedulers", options->schedulers,
           "Schedulers to measure, or all; default: all, and with --against braid", ListOf::Names,
           "NAME");
  add.list(
      "--optimise,--optimize", options->optimise,
      "Graphs to measure: none, the model's own; sum, with a small sum of operators; mixed, as "
      "`optimize` finds it",
      ListOf::Names, "NAME", "none");
  add_peer_options(add, options->peers);
  add_remeasure_flag(add, options->settings.stages.costs);
  add.integer("--iterations", options->iterations,
              "Measure each so many times; 0: until --duration is over, or 200 times or 30 s", 0,
              1'000'000'000);
  add.real("--duration", options->duration, "Begin no round after so many seconds of a model");
  add.integer("--warmup,--warm-up", options->warm_up, "Inferences of each that do not count", 0,
              1'000'000);
  add.integer("-c,--concurrency", options->concurrency,
              "Call from so many threads at once, and measure throughput", 1, 4096);
  add.needs("--optimise-seconds", {"--optimise"}, "there is no search without it");
  add.idle("--optimise-seconds", [&modes = options->optimise] {
    const bool searches =
        std::ranges::any_of(modes, [](const auto& mode) { return mode != "none"; });
    return searches ? std::string() : std::string("none is no search");
  });
  for (const char* option : {"--python", "--peer-timeout"})
    add.needs(option, {"--against"}, "it is for the other runtimes");
  add_contender_conditions(add, *options);
  idle_if_simulated(add, options->settings, {"--warmup", "--concurrency"});
  add.section(Section::Print);
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return bench(*options); };
}

}  // namespace braid::cli
