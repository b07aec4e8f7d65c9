#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fresh_contest.h"
#include "cli/model_argument.h"
#include "cli/moves_file.h"
#include "cli/optimise_report.h"
#include "cli/progress_line.h"
#include "cli/rule_uses.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "onnx/model_header.h"
#include "onnx/save.h"
#include "pipeline/any_size.h"
#include "pipeline/optimise.h"
#include "plan/json.h"

namespace braid::cli {
namespace {

struct OptimiseArguments {
  ModelArgument model;
  RunSettings settings;
  OptimiseOptions how;
  std::string cost = std::string(name(OptimiseOptions{}.cost));
  std::optional<double> seconds;
  std::string output;
  std::string plan;
  std::string moves;
  std::string resume;
  JsonOutput json;
  bool quiet = false;
};

/// The files of a model: its own, and those of its weights.
std::vector<std::filesystem::path> files_of(const ModelArgument& model) {
  if (is_from_zoo(model)) return {};
  std::vector<std::filesystem::path> files = {model.model};
  for (const std::string& name : onnx::read_header(model.model, quotas_of(model)).data_files)
    files.push_back(files[0].parent_path() / name);
  return files;
}

/// No option allows it: not even --force.
void refuse_to_overwrite_model(const OptimiseArguments& options) {
  const auto files = files_of(options.model);
  for (const std::filesystem::path output :
       {options.output, onnx::data_file_of(options.output).string(), options.plan, options.moves,
        options.json.file})
    for (const std::filesystem::path& file : files) {
      std::error_code ignored;
      if (std::filesystem::equivalent(output, file, ignored))
        raise(ErrorKind::Usage, fmt::format("{} belongs to the model that is optimised, which is "
                                            "never overwritten; choose another name",
                                            quote(output.string())));
    }
}

OptimiseOptions search_options(const OptimiseArguments& options) {
  OptimiseOptions how = options.how;
  how.cost = rewrite_cost_named(options.cost);
  for (const std::string& rule : how.disabled) searched_rule(rule);
  if (options.seconds)
    how.seconds = *options.seconds;
  else if (how.candidates > 0)
    how.seconds = 0;
  if (how.seconds == 0 && how.candidates == 0)
    raise(ErrorKind::Usage,
          "a search needs an end: --time-budget of more than 0 seconds, or --max-candidates");
  return how;
}

/// Ctrl-C ended the search, and must not end the writing of what it found.
const Progress kUninterrupted = {};

/// Settles what the written model says beside its graph, and adds what there is to tell of that.
onnx::SaveOptions save_options(const OptimiseArguments& options, const Optimised& result,
                               const Device& device, PipelineOptions stages,
                               std::vector<std::string>& notes) {
  onnx::SaveOptions save;
  save.progress = kUninterrupted;
  const std::string rules = rules_text(rule_counts(result.rounds));
  save.metadata = {{"braid.version", BRAID_VERSION},
                   {"braid.device", options.settings.device},
                   {"braid.rules", rules.empty() ? "none" : rules}};
  if (is_from_zoo(options.model)) return save;
  const std::string& model = options.model.model;
  save.header = onnx::read_header(model, quotas_of(options.model));
  stages.progress = kUninterrupted;
  AnySize any =
      open_sizes(model, load_options(options.model, kUninterrupted), result, device, stages);
  save.open = std::move(any.open);
  if (!any.why_fixed.empty())
    notes.push_back(fmt::format("the written model has fixed sizes: {}", any.why_fixed));
  return save;
}

/// Writes what was asked for; tells what is not as it was in the model.
std::vector<std::string> write_results(const OptimiseArguments& options, const Optimised& result,
                                       const Canonical& given, const Device& device,
                                       const PipelineOptions& stages) {
  std::vector<std::string> notes;
  const onnx::SaveOptions save = save_options(options, result, device, stages, notes);
  const onnx::SavedModel saved = onnx::save(result.model->graph, options.output, save);
  if (given.graph.opset > 0 && saved.opset != given.graph.opset)
    notes.push_back(fmt::format("the written model has opset {}, since {} lacks an operator",
                                saved.opset, given.graph.opset));
  if (saved.has_data_file)
    notes.push_back(
        fmt::format("the weights are in {}", quote(onnx::data_file_of(options.output).string())));
  if (!options.plan.empty())
    write_file(options.plan, to_json(result.after.lowered(), result.after.plan));
  if (!options.moves.empty())
    save_moves(options.moves, given.graph, options.settings.device, result.rounds);
  return notes;
}

/// Times what was written again in a fresh process, on a device that runs: what is not confirmed
/// there is not kept, and the result is what was given.
void confirm(const OptimiseArguments& options, const std::vector<std::string>& words,
             const Progress& progress, Optimised& result, std::vector<std::string>& notes) {
  const auto start = std::chrono::steady_clock::now();
  FreshContest contest{.interrupted = true};
  if (result.report.stopped != OptimiseStop::Cancelled && !interrupted())
    contest = fresh_contest({.given = options.model.model,
                             .before = result.before,
                             .written = options.output,
                             .after = result.after},
                            words, progress);
  if (contest.interrupted) {
    result.report.stopped = OptimiseStop::Cancelled;
    notes.emplace_back("not timed again in a fresh process: interrupted");
    return;
  }
  if (contest.result) report_times(result.report, *contest.result);
  if (contest.why_not.empty())
    result.report.reason +=
        fmt::format("; timed again in a fresh process, it was {}", in_words(*contest.result));
  else
    give_back_input(result, contest.why_not);
  result.report.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Tells what became of the model, and gives the exit code.
int tell(const OptimiseArguments& options, const Optimised& result,
         const std::vector<std::string>& notes) {
  if (options.json.wanted()) options.json.write(optimise_json(result.report));
  if (options.json.replaces_text() || options.quiet)
    for (const std::string& note : notes) fmt::print(stderr, "braid: note: {}\n", note);
  else
    fmt::print("{}", optimise_text(result, options.model.model, notes));
  if (result.report.stopped != OptimiseStop::Cancelled) return 0;
  fmt::print(stderr, "braid: stopped; what was found until then is written\n");
  return exit_code(ErrorKind::Cancelled);
}

/// `words` are the options that a fresh process needs to run models as this one does.
int optimise_model(const OptimiseArguments& options, const std::vector<std::string>& words) {
  if (options.output.empty())
    raise(ErrorKind::Usage, "where shall the optimised model be written? Add -o FILE.onnx");
  refuse_to_overwrite_model(options);
  OptimiseOptions how = search_options(options);
  const Progress progress = progress_line(options.quiet);
  const auto device = open_device(options.settings);
  const PipelineOptions stages = pipeline_options(options.settings, options.model, progress);
  const auto given = std::make_shared<const Canonical>(
      canonical(load_model(options.model, progress), *device, stages));
  if (!options.resume.empty()) how.start = load_moves(options.resume, given->graph);
  Optimised result = optimised(given, *device, stages, how);
  std::vector<std::string> notes = write_results(options, result, *given, *device, stages);
  if (how.verify && !device->is_simulated() && !result.rounds.empty()) {
    confirm(options, words, progress, result, notes);
    if (result.rounds.empty()) notes = write_results(options, result, *given, *device, stages);
  }
  count_rule_uses(stages.costs, result.rounds);
  return tell(options, result, notes);
}

void add_search_options(OptionSet& add, OptimiseArguments& options) {
  add.section(Section::How);
  add.real("--time-budget", options.seconds,
           "Seconds for the whole search; default 60, or no limit with --max-candidates");
  add.integer("--max-candidates", options.how.candidates,
              "Graphs to look at; without --time-budget no clock decides; 0: as many as there is "
              "time for",
              0, std::numeric_limits<std::int64_t>::max());
  add.text("--cost", options.cost,
           "What the search makes small before the device judges: sum, critical-path or mixed",
           "NAME");
  // CLI11: these flags set it to false.
  add.flag("!--no-partition", options.how.use_partition,
           "Search the graph as one piece, not in parts");
  add.flag("!--no-verify", options.how.verify,
           "Believe the cost: the device neither judges nor checks numbers");
  add.list("--disable-rule", options.how.disabled, "Leave out rules; `braid rules` lists them",
           ListOf::Names, "NAME");
  add.seed("--seed", options.how.seed, "Seed of the search");
  add.needs("--no-partition", {"--no-verify"}, "what the device judges is searched as one piece");
}

}  // namespace

Action configure_optimize(OptionSet& add) {
  auto options = std::make_shared<OptimiseArguments>();
  add_model_argument(add, options->model);
  add_batch_option(add, options->model);
  add.output("-o,--output", options->output, "The ONNX file to write");
  add.output("--save-plan,--saveEngine", options->plan, "Write the Plan of the result as JSON");
  add.output("--save-moves", options->moves, "Write what was rewritten, for --resume");
  add.section(Section::How);
  add.text("--resume", options->resume, "Begin with the moves that --save-moves wrote", "FILE");
  add_search_options(add, *options);
  add_run_options(add, options->settings);
  add_scheduler_option(add, options->settings);
  add_profile_flag(add, options->settings);
  idle_if_simulated(add, options->settings, {"--exact", "--profile"});
  add.section(Section::Print);
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress and no summary");
  // It lives as long as the command runs.
  return [options, &add] {
    std::vector<std::string> words = add.words_for("compare");
    std::erase(words, "--remeasure");  // what is compared has its Plans
    return optimise_model(*options, words);
  };
}

}  // namespace braid::cli
