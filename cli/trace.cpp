#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"

namespace braid::cli {
namespace {

struct Options {
  ModelArgument model;
  RunSettings settings;
  PlanFiles plan;
  std::string output;
  int warm_up = 3;
  bool quiet = false;
};

/// The trace of the last of several runs, when caches and lanes are warm.
Trace traced_run(const Prepared& prepared, const std::vector<Tensor>& inputs, int warm_up,
                 const Progress& progress) {
  Trace trace;
  if (prepared.program->simulate(&trace)) return trace;
  for (int i = 0; i < warm_up; ++i) {
    report(progress, "running", i, warm_up + 1);
    run(prepared, inputs);
  }
  run(prepared, inputs, {.trace = &trace});
  return trace;
}

int write_trace(const Options& options) {
  if (options.output.empty())
    raise(ErrorKind::Usage, "where shall the trace be written? Add -o FILE.json");
  const Progress progress = progress_line(options.quiet);
  const auto device = open_device(options.settings);
  ModelWithInputs model =
      load_model(options.model, options.settings.load_inputs, options.settings.random, progress);
  PrepareOptions preparing = prepare_options(options.settings, options.model, progress);
  preparing.plan = loaded_plan(options.plan);
  const Prepared prepared = prepare(std::move(model.graph), *device, preparing);
  save_plan(options.plan, prepared);
  const Trace trace = traced_run(prepared, model.inputs, options.warm_up, progress);
  write_file(options.output, to_chrome_json(trace));
  if (options.quiet) return 0;
  double end_us = 0;
  for (const TraceEvent& event : trace.events) end_us = std::max(end_us, event.end_us);
  fmt::print(
      "{} events in {:.2f} ms on {} streams; open {} in https://ui.perfetto.dev or "
      "chrome://tracing\n",
      trace.events.size(), end_us / 1e3, prepared.plan.streams.size(), printable(options.output));
  return 0;
}

}  // namespace

Action configure_trace(OptionSet& add) {
  auto options = std::make_shared<Options>();
  add_model_argument(add, options->model);
  add_batch_option(add, options->model);
  add_run_options(add, options->settings);
  add_scheduler_option(add, options->settings);
  add_plan_options(add, options->plan);
  add.text("-o,--output", options->output, "The file to write", "FILE");
  add.integer("--warmup,--warm-up", options->warm_up, "Runs before the one that is traced", 0,
              1'000'000);
  add.flag("-q,--quiet", options->quiet, "Print nothing");
  return [options] { return write_trace(*options); };
}

}  // namespace braid::cli
