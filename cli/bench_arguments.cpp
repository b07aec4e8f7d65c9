#include "cli/bench_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/optimise_modes.h"
#include "cli/peer_contest.h"
#include "cli/profile_options.h"
#include "cli/run_options.h"
#include "devices/open.h"

namespace braid::cli {
namespace {

/// Settles what --against asks for: who it is, and on which cores all of them run.
void prepare_for_peers(BenchArguments& options) {
  if (options.peers.against.empty()) return;
  if (options.settings.device != "cpu")
    raise(ErrorKind::Usage,
          fmt::format("--against measures on this machine's cores, and the times of {} are {}; use "
                      "--device cpu, or leave --against out",
                      printable(options.settings.device),
                      options.settings.device.starts_with("sim:") ? "simulated" : "another's"));
  if (!options.rates.empty())
    raise(ErrorKind::Usage,
          "--rate and --against exclude each other: another runtime answers in a process of its "
          "own that takes one command at a time, so nobody could say what waits and what works; "
          "--concurrency compares throughput");
  if (options.threads.size() > 1 || options.concurrency.size() > 1)
    raise(ErrorKind::Usage,
          "--against compares on one number of --threads and --concurrency; name one of each");
  chosen_peers(options.peers);
  DeviceOptions device = options.settings.device_options;
  if (!options.threads.empty()) device.threads = options.threads[0];
  keep_to_cores(braid::open_device("cpu", device)->spec().streams);
}

/// Refuses what would change nothing.
void check_loads(const BenchArguments& options) {
  if (std::ranges::any_of(options.rates, [](double rate) { return rate <= 0; }))
    raise(ErrorKind::Usage, "--rate: expected more than 0 requests per second");
  if (options.settings.device == "cpu") return;
  if (!options.rates.empty())
    raise(ErrorKind::Usage,
          fmt::format("--rate measures how answers wait for one another, and the times of {} are "
                      "simulated; use --device cpu, or leave --rate out",
                      printable(options.settings.device)));
  if (options.threads.size() > 1)
    raise(
        ErrorKind::Usage,
        fmt::format("--threads are CPU cores, which {} does not use; --streams limits its streams",
                    printable(options.settings.device)));
}

/// One of a kind, in the order in which they were named.
template <class Number>
void check_each_once(const char* option, const std::vector<Number>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (std::find(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers[i]) !=
        numbers.begin() + static_cast<std::ptrdiff_t>(i))
      raise(ErrorKind::Usage, fmt::format("{} names {} twice", option, numbers[i]));
}

/// All schedulers are measured unless the question is another: who else is faster, or how many
/// streams, threads or callers are best.
void choose_schedulers(BenchArguments& options) {
  if (!options.schedulers.empty()) return;
  const bool sweeps = options.threads.size() > 1 || !options.streams.empty() ||
                      options.concurrency.size() > 1 || !options.rates.empty();
  options.schedulers = {sweeps || !options.peers.against.empty() ? kBraid : "all"};
}

void check_options(const BenchArguments& options) {
  check_each_once("--threads", options.threads);
  check_each_once("--streams", options.streams);
  check_each_once("--concurrency", options.concurrency);
  check_each_once("--rate", options.rates);
  chosen_optimise_modes(options.optimise, options.optimise_seconds);
}

}  // namespace

void settle(BenchArguments& options) {
  check_options(options);
  check_loads(options);
  choose_schedulers(options);
  prepare_for_peers(options);
}

void add_bench_options(OptionSet& add, BenchArguments& options) {
  options.schedulers.clear();
  add_contender_options(add, options, &options.threads);
  add.section(Section::How);
  add.list(
      "--schedulers", options.schedulers,
      "Schedulers to measure: " + schedulers_help() +
          "; default: all, and braid with --against, --rate, --streams or several --threads or "
          "callers",
      ListOf::Names, "NAME");
  add.list(
      "--optimise,--optimize", options.optimise,
      "Graphs to measure: none, the model's own; sum, with a small sum of operators; mixed, as "
      "`optimize` finds it",
      ListOf::Names, "NAME", "none");
  add_peer_options(add, options.peers);
  add_remeasure_flag(add, options.settings.stages.costs);
  add.integer("--iterations", options.iterations,
              "Measure each so many times; 0: until --duration is over, or 200 times or 30 s", 0,
              1'000'000'000);
  add.real("--duration", options.duration, "Begin no round after so many seconds of a model");
  add.integer("--warmup,--warm-up", options.warm_up, "Inferences of each that do not count", 0,
              1'000'000);
  add.integers("--streams", options.streams,
               "Plan for at most so many streams, so that answers leave cores to one another; "
               "default: as many as --threads",
               1, 4096);
  add.integers("-c,--concurrency,--infStreams", options.concurrency,
               "Call from so many threads at once, and measure throughput; default: 1, and with "
               "--rate as many as --threads",
               1, 4096);
  add.reals("--rate,--request-rate", options.rates,
            "Let so many requests come per second, whether or not those before are answered, and "
            "measure from when each is due; --iterations are requests");
  add.seed("--arrival-seed", options.arrival_seed, "Seed of when requests come; default 0");
  add.excludes("--load-plan", "--streams", "a loaded Plan has the streams that it has");
  add.needs("--optimise-seconds", {"--optimise"}, "there is no search without it");
  add.idle("--optimise-seconds", [&modes = options.optimise] {
    const bool searches =
        std::ranges::any_of(modes, [](const auto& mode) { return mode != "none"; });
    return searches ? std::string() : std::string("none is no search");
  });
  for (const char* option : {"--python", "--peer-timeout"})
    add.needs(option, {"--against"}, "it is for the other runtimes");
  add.needs("--arrival-seed", {"--rate"}, "nothing else arrives");
  add_contender_conditions(add, options);
  idle_if_simulated(add, options.settings, {"--warmup", "--concurrency"});
  add.section(Section::Print);
  add.json(options.json, "Print JSON");
  add.flag("-q,--quiet", options.quiet, "No progress");
}

}  // namespace braid::cli
