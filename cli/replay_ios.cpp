#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/table.h"
#include "sim/ios_schedule.h"

namespace braid::cli {
namespace {

struct ReplayArguments {
  std::string file;
  std::string device = "sim:v100";
  std::int64_t batch = 1;
  JsonOutput json;
};

sim::GpuSpec gpu_of(const std::string& device) {
  constexpr std::string_view prefix = "sim:";
  if (!device.starts_with(prefix))
    raise(ErrorKind::Usage,
          fmt::format("a schedule of IOS can be replayed on simulated GPUs only, such as sim:v100; "
                      "got {}",
                      quote(device)));
  return sim::load_gpu_spec(std::string_view(device).substr(prefix.size()));
}

nlohmann::ordered_json json_of(const SimulatedTime& time) {
  const Band band = time.band_us();
  return {{"nominal_ms", time.nominal_us / 1e3},
          {"median_ms", band.median / 1e3},
          {"p10_ms", band.p10 / 1e3},
          {"p90_ms", band.p90 / 1e3}};
}

void add_row(Table& table, const std::string& what, const SimulatedTime& time) {
  const Band band = time.band_us();
  table.add({what, fmt::format("{:.3f}", time.nominal_us / 1e3),
             fmt::format("{:.3f}", band.median / 1e3), fmt::format("{:.3f}", band.p10 / 1e3),
             fmt::format("{:.3f}", band.p90 / 1e3)});
}

int replay(const ReplayArguments& options) {
  const sim::GpuSpec gpu = gpu_of(options.device);
  for (const std::string& note : gpu.notes) fmt::print(stderr, "braid: note: {}\n", note);
  const auto file = MappedFile::open(options.file);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  const sim::IosSchedule schedule = sim::parse_ios_schedule(gpu, text, options.file, options.batch);
  const std::vector<sim::IosStage> apart = sim::one_by_one(schedule.stages);
  const SimulatedTime scheduled = sim::ios_time(gpu, schedule.stages);
  const SimulatedTime sequential = sim::ios_time(gpu, apart);
  const Verdict verdict = compare(scheduled, sequential);
  if (options.json.wanted()) {
    const nlohmann::ordered_json out = {{"schedule", schedule.name},
                                        {"device", options.device},
                                        {"batch", options.batch},
                                        {"simulated", true},
                                        {"stages", schedule.stages.size()},
                                        {"operators", apart.size()},
                                        {"as_scheduled", json_of(scheduled)},
                                        {"one_by_one", json_of(sequential)},
                                        {"verdict", name(verdict)}};
    options.json.write(json_text(out));
  }
  if (options.json.replaces_text()) return 0;
  fmt::print("{}: {} in {}, batch {}, simulated on {}\n\n", printable(schedule.name),
             counted(static_cast<std::int64_t>(apart.size()), "operator"),
             counted(static_cast<std::int64_t>(schedule.stages.size()), "stage"), options.batch,
             options.device);
  Table table({"milliseconds", "nominal", "median", "p10", "p90"});
  add_row(table, "as scheduled", scheduled);
  add_row(table, "one by one", sequential);
  fmt::print("{}\nThe schedule against one operator after another: {}.\n", table.text(),
             verdict == Verdict::Tie ? "a tie" : name(verdict));
  return 0;
}

}  // namespace

Action configure_replay_ios(OptionSet& add) {
  auto options = std::make_shared<ReplayArguments>();
  add.required_text("SCHEDULE", options->file, "A schedule file that IOS wrote");
  add.section(Section::How);
  add.text("--device", options->device, "sim:GPU, or sim:./my-gpu.json", "DEVICE");
  add.integer("--batch", options->batch,
              "Batch size; above 1, slices of merged convolutions are copied", 1, 1 << 20);
  add.json(options->json, "Print JSON", is_dash);
  return [options] { return replay(*options); };
}

}  // namespace braid::cli
