#include "cli/run_options.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/byte_size.h"
#include "cli/profile_options.h"
#include "devices/open.h"
#include "plan/json.h"
#include "schedule/schedulers.h"

namespace braid::cli {

void add_device_options(OptionSet& add, DeviceSettings& settings, std::vector<int>* threads) {
  add.section(Section::How);
  add.text("-d,--device", settings.device, "Where to run", "DEVICE");
  constexpr const char* kThreads = "CPU cores to use; 0: all that are allowed";
  if (threads != nullptr)
    add.integers("--threads,-x", *threads, kThreads, 0, 4096);
  else
    add.integer("--threads,-x", settings.device_options.threads, kThreads, 0, 4096);
  add.text("--pin", settings.pin,
           "Tie lanes to cores: on, off, or auto: if the process may use only some cores", "WHEN");
  add.text("--isa", settings.device_options.isa,
           "Use no CPU instructions beyond baseline (SSE4.1), avx2 or avx512; default: the best "
           "that there are",
           "NAME");
  add.section(Section::Print);
  add.flag("-v,--verbose", settings.verbose,
           "Tell on standard error the processor, instruction set, oneDNN version and lanes");
}

namespace {

void warn_of_too_many_threads(const DeviceSettings& settings) {
  const int threads = settings.device_options.threads;
  if (threads == 0) return;
  const int cores = braid::open_device(settings.device)->spec().streams;
  if (threads > cores)
    fmt::print(stderr,
               "braid: {} share the {} that this process may use, so they wait for one "
               "another; leave out --threads to use what there is\n",
               counted(threads, "thread"), counted(cores, "core"));
}

}  // namespace

std::unique_ptr<Device> open_device(const DeviceSettings& settings) {
  DeviceOptions options = settings.device_options;
  options.pin = pin_named(settings.pin);
  auto device = braid::open_device(settings.device, options);
  warn_of_too_many_threads(settings);
  if (settings.verbose)
    fmt::print(stderr, "braid: {} is {}\n", settings.device, device->fingerprint());
  for (const std::string& note : device->notes()) fmt::print(stderr, "braid: note: {}\n", note);
  return device;
}

void add_run_options(OptionSet& add, RunSettings& settings, std::vector<int>* threads) {
  add_device_options(add, settings, threads);
  add.section(Section::How);
  add.flag("--no-canonicalise,--no-canonicalize", settings.no_canonicalise,
           "Run the graph as the file says");
  add.list("--disable", settings.stages.rewrite.disabled,
           "Leave out steps of canonicalisation, or rules of the device", ListOf::Names, "STEP");
  add.flag("--exact", settings.stages.exact,
           "Run no operator in a way that saves operations at the price of digits (Winograd's, "
           "Strassen's)");
  add.real("--plan-seconds", settings.stages.plan.search_seconds,
           "Let searching schedulers search so long; default: a fixed number of steps");
  add.integer(
      "--plan-steps", settings.stages.plan.search_steps,
      "Let searching schedulers try so many changes, however long that takes: the same Plan "
      "on every machine; 0: by the size of the graph",
      0, std::numeric_limits<int>::max());
  add_profile_options(add, settings.stages.costs);
}

void add_input_options(OptionSet& add, RunSettings& settings) {
  add.section(Section::What);
  add.list("--load-inputs,--loadInputs", settings.load_inputs,
           "Inputs: .npz, [NAME:]FILE.npy, [NAME:]FILE.pb, or a folder with input_0.pb, …",
           ListOf::NamedFiles, "FILE");
  add.seed("--seed", settings.random.seed,
           "Seed of the inputs that are not given; default 0, and needed if files give only some");
  add.list("--val-range", settings.random.ranges,
           "Range of random inputs, [low,high] or NAME:[low,high]; default [-1,1], whole numbers "
           "[0,1]",
           ListOf::Bindings, "RANGE");
}

namespace {

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const Scheduler& row : schedulers()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> names_of_variants() {
  std::vector<std::string> names = scheduler_names();
  std::erase_if(names, [](const std::string& name) { return name.find(':') == std::string::npos; });
  return names;
}

}  // namespace

void add_scheduler_option(OptionSet& add, RunSettings& settings) {
  add.section(Section::How);
  add.text("--scheduler,--schedule", settings.stages.plan.scheduler,
           fmt::format("One of: {}", fmt::join(scheduler_names(), ", ")), "NAME");
}

std::string schedulers_help() {
  return fmt::format("all, which are {}, or in a variant: {}", fmt::join(names_of_all(), ", "),
                     fmt::join(names_of_variants(), ", "));
}

void idle_if_simulated(OptionSet& add, const DeviceSettings& settings,
                       std::initializer_list<const char*> options) {
  for (const char* option : options)
    add.idle(option, [&settings] {
      return settings.device.starts_with("sim:") ? settings.device + " is simulated, nothing runs"
                                                 : std::string();
    });
}

void idle_unless_searched(OptionSet& add,
                          const std::function<std::vector<std::string>()>& schedulers_named) {
  for (const char* option : {"--plan-seconds", "--plan-steps"})
    add.idle(option, [schedulers_named] {
      const std::vector<std::string> names = chosen_schedulers(schedulers_named());
      const bool searches = std::ranges::any_of(
          names, [](const std::string& name) { return scheduler_named(name).tries_others; });
      return searches ? std::string() : fmt::format("{} searches nothing", fmt::join(names, ", "));
    });
}

std::vector<std::string> chosen_schedulers(const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const std::string& word : wanted) {
    if (word != "all") check_scheduler(word);
    for (const std::string& name : word == "all" ? names_of_all() : std::vector{word})
      names.push_back(name);
  }
  if (names.empty()) raise(ErrorKind::Usage, "--schedulers names none");
  return names;
}

PipelineOptions pipeline_options(const RunSettings& settings, const ModelArgument& model,
                                 const Progress& progress) {
  PipelineOptions options = settings.stages;
  options.rewrite.canonicalise = !settings.no_canonicalise;
  options.quotas = quotas_of(model);
  options.costs.measure = options.costs.measure || options.costs.remeasure;
  options.contest = options.costs.measure;
  options.recall = true;
  options.progress = progress;
  return options;
}

void add_profile_flag(OptionSet& add, RunSettings& settings) {
  add.section(Section::How);
  add.flag("--profile", settings.stages.costs.measure,
           "First measure the operators whose times are not known, and keep the Plan only if it is "
           "faster than sequential's");
  add_remeasure_flag(add, settings.stages.costs);
}

void add_plan_options(OptionSet& add, PlanFiles& files, const std::string& also) {
  add.section(Section::How);
  add.output((also + "--save-plan,--saveEngine").c_str(), files.save, "Write the Plan as JSON");
  add.text("--load-plan,--loadEngine", files.load,
           "Follow a saved Plan; it is checked, and refused if it may go wrong", "FILE");
  add.text("--edits", files.edits,
           "Obey the lines of this file in every Plan: pin, before, never-parallel "
           "(docs/formats.md)",
           "FILE");
  add.text("--mem-budget", files.mem_budget,
           "Take the fastest Plan found whose arena has at most this size, e.g. 64MiB; fewer "
           "streams and more waits are tried",
           "SIZE");
}

namespace {

std::string text_of(const std::string& name) {
  const auto file = MappedFile::open(name);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

}  // namespace

void follow(const PlanFiles& files, PipelineOptions& options) {
  if (!files.load.empty()) {
    options.plan.given = text_of(files.load);
    options.plan.given_name = files.load;
  }
  if (!files.edits.empty()) options.plan.edits = text_of(files.edits);
  if (!files.mem_budget.empty())
    options.plan.arena_budget = parse_byte_size(files.mem_budget, "--mem-budget");
}

void save_plan(const PlanFiles& files, const Runnable& prepared) {
  if (!files.save.empty()) write_file(files.save, to_json(prepared.lowered(), prepared.plan));
}

}  // namespace braid::cli
