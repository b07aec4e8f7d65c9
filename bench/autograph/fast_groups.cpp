#include "fast_groups.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "devices/open.h"

namespace braid::autograph_table {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFamily = "conv_grouped";
// How far src/sim/ensemble.h draws a family that no measurement covers, as logarithms.
constexpr double kEfficiencyExtent = 0.405;
constexpr double kFillExtent = 0.3;

/// A spec file that is gone with this object.
class TemporarySpec {
 public:
  explicit TemporarySpec(const std::string& text)
      : path_(fs::temp_directory_path() / fmt::format("braid-fast-groups-{}.json", getpid())) {
    write_file(path_, text);
  }
  TemporarySpec(const TemporarySpec&) = delete;
  TemporarySpec& operator=(const TemporarySpec&) = delete;
  ~TemporarySpec() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// "sim:a100+tf32" is the GPU a100 and the words "+tf32".
struct NamedGpu {
  std::string gpu;
  std::string words;
};

NamedGpu named_gpu(const std::string& device) {
  constexpr std::string_view prefix = "sim:";
  if (!device.starts_with(prefix) || device.find('/') != std::string::npos)
    raise(ErrorKind::Usage, fmt::format("{} is none of the GPUs that come with Braid: name a "
                                        "device such as sim:a100",
                                        quote(device)));
  const std::string what = device.substr(prefix.size());
  const std::size_t plus = std::min(what.find('+'), what.size());
  return {what.substr(0, plus), what.substr(plus)};
}

std::string spec_with_fast_groups(const std::string& gpu) {
  const auto file = MappedFile::open(fs::path(BRAID_SOURCE_FOLDER) / "src/sim/gpus" /
                                     fmt::format("{}.json", gpu));
  nlohmann::json spec =
      parse_json({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  nlohmann::json& family = spec["families"][std::string(kFamily)];
  family["efficiency"] =
      std::min(1.0, family["efficiency"].get<double>() * std::exp(kEfficiencyExtent));
  family["fill_us"] = family["fill_us"].get<double>() * std::exp(-kFillExtent);
  return json_text(nlohmann::ordered_json(spec));
}

/// A graph scheduled with as much effort as those before and after an optimisation.
SimulatedTime time_of(const std::shared_ptr<const Canonical>& model, const Device& device,
                      const PipelineOptions& options) {
  auto with_costs = costed(model, lowered(*model, device, options), device, options);
  return simulated(planned(std::move(with_costs), device, options), device);
}

}  // namespace

FastGroups fast_groups(const std::string& model, const Setting& setting,
                       const std::shared_ptr<const Canonical>& found) {
  const NamedGpu named = named_gpu(setting.device);
  const TemporarySpec spec(spec_with_fast_groups(named.gpu));
  const auto device = open_device("sim:" + spec.path() + named.words);
  const auto given = canonical_model(model, *device, setting.batch);
  FastGroups row{.model = model,
                 .setting = setting,
                 .watched = watch(given, *device, setting.optimise_options())};
  row.before = simulated(row.watched.optimised.before, *device);
  row.after = simulated(row.watched.optimised.after, *device);
  row.same = time_of(found, *device, stage_options());
  return row;
}

nlohmann::ordered_json json_of(const FastGroups& row) {
  return {{"model", row.model},
          {"device", row.setting.device},
          {"batch", row.setting.batch},
          {"times",
           {{"before", json_of(row.before)},
            {"same", json_of(row.same)},
            {"after", json_of(row.after)}}},
          {"optimised", json_of(row.watched)}};
}

}  // namespace braid::autograph_table
