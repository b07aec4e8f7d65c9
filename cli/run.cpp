#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/samples.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/inexact_ways.h"
#include "cli/kept_report.h"
#include "cli/planned_model.h"
#include "cli/progress_line.h"
#include "cli/reference_report.h"
#include "cli/table.h"
#include "cli/trace_file.h"
#include "tensor/element.h"

namespace braid::cli {
namespace {

struct RunArguments : PlanningArguments {
  std::vector<std::string> outputs;
  std::string save_outputs;
  std::string save_inputs;
  std::string trace;
  std::optional<std::uint64_t> poison_seed;
  int iterations = 1;
  JsonOutput json;
};

/// Of the finite elements.
struct Range {
  double least = 0;
  double mean = 0;
  double most = 0;
};

struct Statistics {
  std::optional<Range> range = {};  ///< none if there is no finite element
  std::int64_t not_finite = 0;
};

Statistics statistics(const Tensor& tensor) {
  Statistics result;
  Range range;
  std::int64_t finite = 0;
  dispatch(tensor.element(), [&](auto tag) {
    for (auto element : tensor.data<typename decltype(tag)::type>()) {
      const auto x = static_cast<double>(load(element));
      if (!std::isfinite(x)) {
        ++result.not_finite;
        continue;
      }
      range.least = finite == 0 ? x : std::min(range.least, x);
      range.most = finite == 0 ? x : std::max(range.most, x);
      range.mean += x;
      ++finite;
    }
  });
  if (finite == 0) return result;
  range.mean /= static_cast<double>(finite);
  result.range = range;
  return result;
}

/// The outputs that the user asked for, as (name, tensor).
std::vector<NamedTensor> choose(const Graph& graph, const std::vector<Tensor>& tensors,
                                const std::vector<std::string>& wanted) {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    all.emplace_back(graph.outputs()[i].name, tensors[i]);
  if (wanted.empty() || std::ranges::count(wanted, "all") > 0) return all;
  std::vector<NamedTensor> chosen;
  for (const std::string& name : wanted) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const NamedTensor& t) { return t.first == name; });
    if (found == all.end())
      raise(ErrorKind::Usage,
            fmt::format("the model has no value {} after canonicalisation; `--outputs all` gives "
                        "what there is, --no-canonicalise keeps every value",
                        quote(name)));
    chosen.push_back(*found);
  }
  return chosen;
}

void write_json(const std::vector<NamedTensor>& outputs, const std::vector<double>& times_ms,
                const PlannedModel& planned, const RunArguments& options) {
  const Runnable& prepared = planned.prepared;
  nlohmann::ordered_json out;
  out["model"] = options.model.model;
  out["device"] = options.settings.device;
  out["machine"] = planned.device->fingerprint();
  out["scheduler"] = prepared.plan.scheduler;
  add_kept(out, prepared.reason, prepared.settlement);
  out["seed"] = options.settings.random.number();
  out["random_inputs"] = planned.random;
  out["arena_bytes"] = prepared.plan.arena_bytes;
  out["inexact_ways"] = inexact_ways(prepared.lowered(), *planned.device);
  out["reference"] = reference_json(reference_share(prepared));
  out["times_ms"] = times_ms;
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [name, tensor] : outputs) {
    const Statistics s = statistics(tensor);
    rows.push_back({{"name", name},
                    {"type", braid::name(tensor.element())},
                    {"shape", tensor.dims()},
                    {"min", s.range ? nlohmann::ordered_json(s.range->least) : nullptr},
                    {"mean", s.range ? nlohmann::ordered_json(s.range->mean) : nullptr},
                    {"max", s.range ? nlohmann::ordered_json(s.range->most) : nullptr},
                    {"not_finite", s.not_finite}});
  }
  out["outputs"] = rows;
  options.json.write(json_text(out));
}

void print_text(const std::vector<NamedTensor>& outputs, const std::vector<double>& times_ms,
                const PlannedModel& planned, const RunArguments& options) {
  const Runnable& prepared = planned.prepared;
  Table table({"output", "type", "min", "mean", "max", "not finite"});
  for (const auto& [name, tensor] : outputs) {
    const Statistics s = statistics(tensor);
    const auto cell = [&](double Range::* number) {
      return s.range ? fmt::format("{:.6g}", *s.range.*number) : std::string();
    };
    table.add({printable(name), to_string(tensor.type()), cell(&Range::least), cell(&Range::mean),
               cell(&Range::most), s.not_finite == 0 ? "" : grouped(s.not_finite)});
  }
  fmt::print("{}", table.text());
  fmt::print("\n{} on {} ({}), {} in the arena, ",
             counted(static_cast<std::int64_t>(prepared.lowered().node_count()), "node"),
             options.settings.device, printable(prepared.plan.scheduler),
             fmt::format("{:.1f} MB", static_cast<double>(prepared.plan.arena_bytes) / 1e6));
  if (times_ms.size() == 1)
    fmt::print("{:.1f} ms\n", times_ms[0]);
  else
    fmt::print("min {:.1f} ms, median {:.1f} ms of {} runs\n", percentile(times_ms, 0),
               percentile(times_ms, 50), times_ms.size());
  if (!prepared.reason.empty()) fmt::print("kept: {}\n", prepared.reason);
  fmt::print("{}", text_of(inexact_ways(prepared.lowered(), *planned.device)));
  fmt::print("{}", text_of(reference_share(prepared)));
  if (!planned.random.empty())
    fmt::print("random inputs (seed {}): {}; --load-inputs gives them, --save-inputs keeps them\n",
               options.settings.random.number(),
               printable(fmt::format("{}", fmt::join(planned.random, ", ")), 500));
}

int run_model(RunArguments options) {
  const Progress progress = progress_line(options.quiet);
  const PlannedModel planned =
      plan_model(options, Until::Runnable, progress, [&](PipelineOptions& stages) {
        stages.rewrite.all_values = !options.outputs.empty();
        stages.plan.shuffle_seed = options.poison_seed;
      });
  const Runnable& prepared = planned.prepared;
  const std::vector<Tensor>& inputs = planned.inputs;

  std::vector<Tensor> results;
  std::vector<double> times_ms;
  Trace trace;
  for (int i = 0; i < options.iterations; ++i) {
    report(progress, "running", i, options.iterations);
    RunOptions run_options;
    run_options.poison_seed = options.poison_seed;
    if (i + 1 == options.iterations && !options.trace.empty()) run_options.trace = &trace;
    const auto start = std::chrono::steady_clock::now();
    results = run(prepared, inputs, run_options);
    times_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }

  const std::vector<NamedTensor> outputs = choose(prepared.graph(), results, options.outputs);
  if (!options.save_outputs.empty()) save_tensors(options.save_outputs, outputs, "output");
  if (!options.save_inputs.empty())
    save_tensors(options.save_inputs, planned.named_inputs, "input");
  if (!options.trace.empty()) write_trace(options.trace, options, planned, trace);
  if (options.json.wanted()) write_json(outputs, times_ms, planned, options);
  if (!options.quiet && !options.json.replaces_text())
    print_text(outputs, times_ms, planned, options);
  return 0;
}

}  // namespace

Action configure_run(OptionSet& add) {
  auto options = std::make_shared<RunArguments>();
  add_planning_options(add, *options);
  add.section(Section::Print);
  add.list("--outputs", options->outputs, "Values to give out, or `all`", ListOf::Names, "NAME");
  add.output("--save-outputs,--exportOutput", options->save_outputs,
             "Write the outputs: .npz, .npy, .pb, or a folder of output_0.pb, …", true);
  add.output("--save-inputs", options->save_inputs, "Write the inputs that were used", true);
  add.output("--trace", options->trace, "Write what happened when as Chrome trace JSON");
  add.section(Section::How);
  add.seed("--poison", options->poison_seed,
           "Debug: shuffle and delay steps and overwrite freed bytes; the outputs stay the same");
  add.integer("--iterations", options->iterations, "Run so many times and show the times", 1,
              1000000000);
  add.section(Section::Print);
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "Print nothing");
  return [options] { return run_model(*options); };
}

}  // namespace braid::cli
