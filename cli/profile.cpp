#include <algorithm>
#include <cstdio>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "cost/cost_table_json.h"
#include "device/device.h"
#include "measure/wanted.h"
#include "pipeline/stages.h"
#include "plan/reference.h"

namespace braid::cli {
namespace {

struct ProfileArguments {
  std::vector<std::string> models;
  ModelArgument model;
  ProfileOptions profile;
  DeviceSettings device;
  JsonOutput json;
  std::string save_costs;
  int top = 0;
  bool quiet = false;
};

/// One operator signature of a model, whole.
struct ProfileRow {
  std::string op;
  std::string implementation;
  std::string signature;
  int uses = 0;
  bool is_measured = false;
  Cost cost;
  Cost part;  ///< one of as many parts as there are streams; no time if it cannot be cut so
  int samples = 0;

  double total_us() const { return uses * cost.time_us; }
};

struct ModelProfile {
  std::string model;
  Graph lowered;
  Profile profile;
  int streams = 1;
  std::vector<ProfileRow> rows = {};  ///< the dearest first
  double sum_us = 0;
  double sum_beside_us = 0;
  double critical_path_us = 0;
};

std::vector<ProfileRow> rows_of(const Graph& lowered, const CostTable& costs, int streams) {
  std::vector<ProfileRow> rows;
  for (const Wanted& wanted : wanted_signatures(lowered, costs, streams)) {
    const Node& node = lowered.node(wanted.node);
    if (wanted.parts == 1) {
      const Measurement* measured = costs.find(wanted.signature);
      rows.push_back({node.op,
                      node.lowering.implementation,
                      wanted.signature,
                      wanted.uses,
                      measured != nullptr,
                      costs.cost(lowered, wanted.node),
                      {},
                      measured != nullptr ? measured->samples : 0});
    } else if (wanted.parts == streams) {
      rows.back().part = costs.cost(lowered, wanted.node, wanted.parts);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return a.total_us() != b.total_us() ? a.total_us() > b.total_us() : a.signature < b.signature;
  });
  return rows;
}

ModelProfile profile_model(const ProfileArguments& options, const std::string& name,
                           const Device& device, const Progress& progress) {
  ModelArgument argument = options.model;
  argument.model = name;
  PipelineOptions stages;
  stages.costs = options.profile;
  stages.costs.measure = true;
  stages.progress = progress;
  const auto costed = to_costs(load_model(argument, progress), device, stages);
  const int streams = device.spec().streams;
  ModelProfile result{.model = name, .lowered = costed->lowered.graph, .profile = costed->profile};
  result.streams = streams;
  result.rows = rows_of(result.lowered, result.profile.costs, streams);
  for (const ProfileRow& row : result.rows) {
    result.sum_us += row.total_us();
    result.sum_beside_us += row.uses * row.cost.time_beside_us;
  }
  result.critical_path_us = device.judge(result.lowered, result.profile.costs, result.profile.spec)
                                ->bounds()
                                .critical_path_us;
  return result;
}

nlohmann::ordered_json json_of(const ModelProfile& model) {
  nlohmann::ordered_json out;
  out["model"] = model.model;
  out["conditions"] = model.profile.conditions;
  out["signatures"] = model.profile.signatures;
  out["measured"] = model.profile.measured;
  out["from_cache"] = model.profile.from_cache;
  out["failures"] = model.profile.failures;
  auto refused = nlohmann::ordered_json::array();
  for (const RefusedCut& cut : model.profile.refused) refused.push_back(cut.parts);
  out["refused_cuts"] = std::move(refused);
  auto faster = nlohmann::ordered_json::array();
  for (const FasterCut& cut : model.profile.faster)
    faster.push_back({{"node", cut.node}, {"axis", cut.cut.axis}});
  out["faster_cuts"] = std::move(faster);
  out["sum_us"] = model.sum_us;
  out["sum_beside_us"] = model.sum_beside_us;
  out["critical_path_us"] = model.critical_path_us;
  auto rows = nlohmann::ordered_json::array();
  for (const ProfileRow& row : model.rows) {
    nlohmann::ordered_json line;
    line["op"] = row.op;
    line["implementation"] = row.implementation;
    line["signature"] = row.signature;
    line["uses"] = row.uses;
    line["measured"] = row.is_measured;
    line["samples"] = row.samples;
    line["time_us"] = row.cost.time_us;
    line["time_beside_us"] = row.cost.time_beside_us;
    line["compute_share"] = row.cost.compute_share;
    line["bandwidth_share"] = row.cost.bandwidth_share;
    line["share_of_sum"] = model.sum_us > 0 ? row.total_us() / model.sum_us : 0;
    if (row.part.time_us > 0) {
      line["parts"] = model.streams;
      line["part_time_us"] = row.part.time_us;
    }
    rows.push_back(std::move(line));
  }
  out["operators"] = std::move(rows);
  return out;
}

std::string time_text(double time_us) {
  return time_us <= 0 ? "" : fmt::format("{:.{}f}", time_us, time_us < 100 ? 1 : 0);
}

void print_origin(const Profile& profile) {
  const std::size_t modelled = profile.signatures - profile.measured - profile.from_cache;
  const std::string all = grouped(static_cast<long long>(profile.signatures));
  if (modelled == profile.signatures)
    fmt::print("{} operators and parts, all modelled and none measured\n", all);
  else if (profile.measured == 0 && modelled == 0)
    fmt::print("{} operators and parts, all from the profile cache\n", all);
  else
    fmt::print("{} operators and parts: {} measured now, {} known before, {} modelled\n",
               profile.signatures, profile.measured, profile.from_cache, modelled);
  fmt::print("{} {}\n", modelled == profile.signatures ? "modelled for" : "measured on",
             profile.conditions);
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, profile.failures.size()); ++i)
    fmt::print("not measured: {}\n", printable(profile.failures[i], 300));
}

/// Operators that have no kernel.
void print_reference(const ModelProfile& model) {
  std::map<std::string, int> uses;
  double total_us = 0;
  for (const ProfileRow& row : model.rows)
    if (row.implementation == kReferenceImplementation) {
      uses[row.op] += row.uses;
      total_us += row.total_us();
    }
  if (uses.empty()) return;
  std::vector<std::string> counts;
  for (const auto& [op, count] : uses) counts.push_back(fmt::format("{} {}", count, op));
  fmt::print("for want of a fast kernel, the reference runs {}: {:.1f} % of the sum\n",
             fmt::join(counts, ", "), model.sum_us > 0 ? 100 * total_us / model.sum_us : 0);
}

void print_text(const ModelProfile& model, int top) {
  const std::size_t shown =
      top > 0 ? std::min(model.rows.size(), static_cast<std::size_t>(top)) : model.rows.size();
  fmt::print("{}\n", printable(model.model));
  std::vector<std::string> header = {"share", "op", "uses", "alone us", "beside us"};
  if (model.streams > 1) header.push_back(fmt::format("in {} us", model.streams));
  header.insert(header.end(), {"implementation", "signature"});
  Table table(header);
  for (std::size_t i = 0; i < shown; ++i) {
    const ProfileRow& row = model.rows[i];
    const double share = model.sum_us > 0 ? 100 * row.total_us() / model.sum_us : 0;
    std::vector<std::string> cells = {fmt::format("{:.1f} %", share), row.op,
                                      std::to_string(row.uses), time_text(row.cost.time_us),
                                      time_text(row.cost.time_beside_us)};
    if (model.streams > 1) cells.push_back(time_text(row.part.time_us));
    cells.push_back(printable(row.implementation) + (row.is_measured ? "" : " (modelled)"));
    cells.push_back(printable(row.signature, 110));
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
  if (shown < model.rows.size()) fmt::print("… and {} more\n", model.rows.size() - shown);
  fmt::print("\nsum {:.2f} ms alone, {:.2f} ms beside a neighbour; critical path {:.2f} ms\n",
             model.sum_us / 1e3, model.sum_beside_us / 1e3, model.critical_path_us / 1e3);
  print_reference(model);
  print_origin(model.profile);
}

void write_json(const std::vector<ModelProfile>& profiles, const ProfileArguments& options) {
  nlohmann::ordered_json out;
  out["device"] = options.device.device;
  auto results = nlohmann::ordered_json::array();
  for (const ModelProfile& model : profiles) results.push_back(json_of(model));
  out["results"] = std::move(results);
  options.json.write(json_text(out));
}

int run_profile(const ProfileArguments& options) {
  if (!options.save_costs.empty() && options.models.size() > 1)
    raise(ErrorKind::Usage, fmt::format("--save-costs takes the costs of one model, {} were named",
                                        options.models.size()));
  const auto device = open_device(options.device);
  std::vector<ModelProfile> profiles;
  for (const std::string& name : options.models) {
    const Progress progress = progress_line(options.quiet);
    profiles.push_back(profile_model(options, name, *device, progress));
  }
  if (!options.save_costs.empty()) {
    OutputFile output(options.save_costs);
    output.stream() << to_json(profiles[0].profile.costs, profiles[0].profile.conditions);
    output.commit();
  }
  if (options.json.wanted()) write_json(profiles, options);
  if (options.json.replaces_text() || options.quiet) return 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (i > 0) fmt::print("\n");
    print_text(profiles[i], options.top);
  }
  return 0;
}

}  // namespace

Action configure_profile(OptionSet& add) {
  auto options = std::make_shared<ProfileArguments>();
  add.required_texts("MODEL", options->models, "ONNX files, or zoo:NAME");
  add_shape_options(add, options->model);
  add_batch_option(add, options->model);
  add_device_options(add, options->device);
  add_profile_options(add, options->profile);
  add_remeasure_flag(add, options->profile);
  idle_if_simulated(add, options->device, {"--remeasure"});
  add.section(Section::Print);
  add.integer("--top", options->top, "Show so many operators; 0: all", 0, 1000000000);
  add.json(options->json, "Print JSON");
  add.output("--save-costs", options->save_costs, "Write the cost table as JSON");
  add.flag("-q,--quiet", options->quiet, "Print nothing");
  return [options] { return run_profile(*options); };
}

}  // namespace braid::cli
