#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/bench_arguments.h"
#include "cli/bench_load.h"
#include "cli/bench_report.h"
#include "cli/bench_turns.h"
#include "cli/command.h"
#include "cli/contenders.h"
#include "cli/model_argument.h"
#include "cli/optimise_report.h"
#include "cli/peer_contest.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/same_outputs.h"
#include "cli/signals.h"
#include "devices/open.h"
#include "measure/turns.h"

namespace braid::cli {
namespace {

constexpr int kDefaultIterations = 200;
constexpr double kDefaultSeconds = 30;  ///< of a model, if nothing was asked

/// One device per number of threads.
using Devices = std::vector<std::unique_ptr<Device>>;

std::vector<PreparedModel> prepare_contenders(const Graph& graph, const Devices& devices,
                                              const BenchArguments& options,
                                              const Progress& progress) {
  if (!options.plan.save.empty() && options.models.size() * devices.size() != 1)
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  PipelineOptions stages = pipeline_options(options.settings, options.model, progress);
  stages.costs.measure = true;
  std::vector<PreparedModel> contenders;
  for (const auto& device : devices)
    for (PreparedModel& made :
         prepare_contenders(graph, *device, options, stages, [](const auto&) { return true; }))
      contenders.push_back(std::move(made));
  return contenders;
}

/// The loads under which a device with so many threads is measured.
BenchLoads loads_on(int threads, const BenchArguments& options) {
  return {.each = loads_of(options.concurrency, options.rates, threads),
          .seed = options.arrival_seed.value_or(0),
          .iterations = options.iterations};
}

BenchTurns turns_of(const BenchArguments& options, const BenchLoads& loads,
                    const std::string& model, const Progress& progress) {
  TurnOptions contest;
  contest.iterations = loads.rounds() > 0 ? loads.rounds() : 1'000'000'000;
  contest.seconds = options.duration;
  if (options.iterations == 0 && options.duration <= 0) {
    if (!loads.are_open_loops())
      contest.iterations = loads.have_long_turns() ? kDefaultIterations / 10 : kDefaultIterations;
    contest.seconds = kDefaultSeconds;
  }
  contest.warm_up = options.warm_up;
  contest.progress = [progress, model](std::string_view, std::int64_t done, std::int64_t total) {
    return progress("measuring " + model, done, total < 1'000'000'000 ? total : 0);
  };
  return {contest, loads.have_long_turns()};
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
  row.streams_limit = contender.streams_limit;
  row.threads = contender.threads;
  return row;
}

void enter_schedulers(const std::vector<PreparedModel>& contenders,
                      const std::vector<Tensor>& inputs, const std::string& model,
                      const BenchArguments& options, std::vector<BenchEntrant>& entrants) {
  for (const PreparedModel& contender : contenders) {
    const BenchLoads loads = loads_on(contender.threads, options);
    for (const BenchLoad& load : loads.each) {
      BenchEntrant entrant{row_of(contender, model),
                           turn_of(contender.prepared, inputs, loads, load)};
      entrant.row.callers = load.callers;
      entrant.row.rate_per_s = load.rate_per_s;
      if (load.is_open_loop()) entrant.warm_up = [&] { run(contender.prepared, inputs); };
      entrants.push_back(std::move(entrant));
    }
  }
}

/// Adds the peers of the contest; `pairs` tell how far their outputs are from Braid's.
void enter_peers(PeerContest& contest, const std::vector<PairDifference>& pairs,
                 const std::string& model, int threads, int callers,
                 std::vector<BenchEntrant>& entrants) {
  for (Peer& peer : contest.peers()) {
    BenchRow row;
    row.model = model;
    row.threads = threads;
    row.callers = callers;
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
bool measure_model(ModelWithInputs model, const ModelArgument& argument, const Devices& devices,
                   const BenchArguments& options, const Progress& progress, BenchSetting& setting,
                   std::vector<BenchRow>& rows) {
  std::optional<PeerContest> contest;
  if (setting.against_peers) contest.emplace(options.peers, argument.model, setting.failures);
  BenchArguments all = with_peers(options, model.graph, argument.model);
  for (const auto& device : devices)
    for (const BenchLoad& load : loads_on(device->spec().streams, options).each)
      all.callers = std::max(all.callers, load.callers);
  const std::vector<PreparedModel> contenders =
      prepare_contenders(model.graph, devices, all, progress);
  if (!model.random.empty()) setting.seed = options.settings.random.number();
  setting.inexact_ways[argument.model] =
      inexact_ways(contenders[0].prepared.lowered(), *devices[0]);
  setting.reference[argument.model] = reference_share(contenders[0].prepared);
  tell_searches(contenders, argument.model, setting);
  const std::vector<Tensor> inputs = model.make_inputs();
  const std::vector<Tensor> outputs = same_outputs(contenders, inputs);
  std::vector<BenchEntrant> entrants;
  enter_schedulers(contenders, inputs, argument.model, options, entrants);
  const BenchLoads loads = loads_on(contenders[0].threads, options);
  if (contest) {
    const int threads = contenders[0].threads;
    const int callers = loads.each[0].callers;
    report(progress, "loading the other runtimes", 0, 0);
    contest->load(argument, model.graph, all_inputs(model, inputs), threads, callers);
    std::vector<ContenderOutputs> answers = contest->outputs();
    answers.insert(answers.begin(), {std::string(kBraid), outputs});
    auto pairs = compare_pairs(answers, output_names(contenders[0].prepared.graph()));
    enter_peers(*contest, pairs, argument.model, threads, callers, entrants);
    setting.differences.push_back({argument.model, std::move(pairs)});
  }
  const bool finished = measure(entrants, turns_of(options, loads, argument.model, progress));
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

bool bench_model(const BenchArguments& options, const ModelArgument& argument,
                 const Devices& devices, BenchSetting& setting, std::vector<BenchRow>& rows) {
  const Progress progress = progress_line(options.quiet);
  ModelWithInputs model =
      load_model(argument, options.settings.load_inputs, options.settings.random, progress);
  if (!setting.simulated)
    return measure_model(std::move(model), argument, devices, options, progress, setting, rows);
  const auto contenders = prepare_contenders(model.graph, devices, options, progress);
  tell_searches(contenders, argument.model, setting);
  simulate(contenders, argument.model, rows);
  return true;
}

/// "1 thread", "1, 2 threads".
std::string each_counted(const std::vector<int>& numbers, const char* what) {
  if (numbers.size() == 1) return counted(numbers[0], what);
  return fmt::format("{} {}s", fmt::join(numbers, ", "), what);
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
      "\n{}, {}{}; contenders alternate; ratios of 20th percentiles{} with 95 % intervals, "
      "above 1: faster than the first; an interval that holds 1 is a tie\n",
      setting.device, each_counted(setting.threads, "thread"),
      setting.long_turns ? ", " + each_counted(setting.concurrency, "caller") + " at once" : "",
      setting.rates.empty() ? "" : " of the medians of turns");
  if (!setting.rates.empty())
    fmt::print(
        "open loop: requests come as a Poisson process of seed {}; latencies count from when a "
        "request is due\n",
        setting.arrival_seed);
  fmt::print("{}{}{}", unresolved_sentence(rows), overload_sentences(rows), peer_verdicts(rows));
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

Devices open_devices(const BenchArguments& options) {
  Devices devices;
  for (const int threads : options.threads.empty() ? std::vector<int>{0} : options.threads) {
    DeviceSettings settings = options.settings;
    settings.device_options.threads = threads;
    devices.push_back(open_device(settings));
  }
  return devices;
}

BenchSetting setting_of(const BenchArguments& options, const Devices& devices) {
  BenchSetting setting{.device = options.settings.device,
                       .rates = options.rates,
                       .arrival_seed = options.arrival_seed.value_or(0),
                       .batch = options.model.batch,
                       .optimise_seconds = options.optimise_seconds,
                       .simulated = devices[0]->is_simulated(),
                       .against_peers = !options.peers.against.empty()};
  for (const auto& device : devices) {
    setting.threads.push_back(device->spec().streams);
    const BenchLoads loads = loads_on(device->spec().streams, options);
    setting.long_turns = loads.have_long_turns();
    for (const BenchLoad& load : loads.each)
      if (std::ranges::count(setting.concurrency, load.callers) == 0)
        setting.concurrency.push_back(load.callers);
  }
  return setting;
}

int bench(BenchArguments options) {
  settle(options);
  const Devices devices = open_devices(options);
  BenchSetting setting = setting_of(options, devices);
  std::vector<BenchRow> rows;
  for (const std::string& name : options.models) {
    ModelArgument argument = options.model;
    argument.model = name;
    try {
      setting.stopped = !bench_model(options, argument, devices, setting, rows);
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
  add_bench_options(add, *options);
  return [options] { return bench(*options); };
}

}  // namespace braid::cli
