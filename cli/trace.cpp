#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/planned_model.h"
#include "cli/progress_line.h"
#include "cli/trace_file.h"

namespace braid::cli {
namespace {

struct TraceArguments : PlanningArguments {
  std::string output;
  int warm_up = 3;
};

/// The trace of the last of several runs, when caches and lanes are warm.
Trace traced_run(const Runnable& prepared, const std::vector<Tensor>& inputs, int warm_up,
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

int trace_model(const TraceArguments& options) {
  if (options.output.empty())
    raise(ErrorKind::Usage, "where shall the trace be written? Add -o FILE.json");
  const Progress progress = progress_line(options.quiet);
  const PlannedModel planned = plan_model(options, Until::Runnable, progress);
  const Runnable& prepared = planned.prepared;
  const Trace trace = traced_run(prepared, planned.inputs, options.warm_up, progress);
  write_trace(options.output, options, planned, trace);
  if (options.quiet) return 0;
  double end_us = 0;
  for (const TraceEvent& event : trace.events) end_us = std::max(end_us, event.end_us);
  fmt::print(
      "{} in {:.2f} ms{} on {}; open {} in https://ui.perfetto.dev or "
      "chrome://tracing\n",
      counted(static_cast<std::int64_t>(trace.events.size()), "event"), end_us / 1e3,
      planned.device->is_simulated() ? " (simulated)" : "",
      counted(static_cast<std::int64_t>(prepared.plan.streams.size()), "stream"),
      printable(options.output));
  if (!prepared.reason.empty()) fmt::print("kept: {}\n", prepared.reason);
  return 0;
}

}  // namespace

Action configure_trace(OptionSet& add) {
  auto options = std::make_shared<TraceArguments>();
  add_planning_options(add, *options);
  add.output("-o,--output", options->output, "The file to write");
  add.section(Section::How);
  add.integer("--warmup,--warm-up", options->warm_up, "Runs before the one that is traced", 0,
              1'000'000);
  idle_if_simulated(add, options->settings, {"--warmup", "--seed", "--val-range"});
  add.section(Section::Print);
  add.flag("-q,--quiet", options->quiet, "Print nothing");
  return [options] { return trace_model(*options); };
}

}  // namespace braid::cli
