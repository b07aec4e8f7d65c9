#include "sweep.h"

#include <fmt/format.h>

namespace braid::gpu_model {
namespace {

struct Line {
  std::string name;
  PublishedRow row;  ///< of batch 1, without a figure
  std::vector<std::string> schedules;
  std::int64_t most_batch;
};

PublishedRow setting(const std::string& network, const std::string& gpu, const std::string& setup) {
  PublishedRow row;
  row.network = network;
  row.gpu = gpu;
  row.setup = setup;
  return row;
}

std::vector<Line> lines() {
  const std::vector<std::string> staged = {"sequential", "greedy", "ios"};
  const std::vector<std::string> captured = {"sequential", "wavefront", "nimble",
                                             "opara:published"};
  return {{"IOS, V100: Inception-v3", setting("inception-v3", "v100", "ios"), staged, 128},
          {"Opara, 2080 SUPER: GoogLeNet", setting("googlenet", "rtx2080s", "eager"), captured, 32},
          {"Opara, 2080 SUPER: Inception-v3", setting("inception-v3@224", "rtx2080s", "eager"),
           captured, 32},
          {"Opara, 2080 SUPER: DeepFM", setting("deepfm", "rtx2080s", "eager"), captured, 32},
          {"Opara, A100: NASNet-A large", setting("nasnet-a-large", "a100", "eager+tf32"), captured,
           32},
          {"Opara, A100: T5", setting("t5-small-encoder", "a100", "eager+tf32"), captured, 32},
          {"Opara, A100: BERT", setting("bert-base", "a100", "eager+tf32"), captured, 32}};
}

}  // namespace

nlohmann::ordered_json sweep(Simulations& simulations, const std::string& only, std::FILE* out) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Line& line : lines()) {
    if (line.name.find(only) == std::string::npos) continue;
    if (const std::string why = simulations.why_not(line.row); !why.empty()) {
      fmt::print(out, "\n{}: skipped: {}\n", line.name, why);
      continue;
    }
    fmt::print(out, "\n{}, simulated ms (sequential over it)\n{:>6}", line.name, "batch");
    for (const std::string& schedule : line.schedules) fmt::print(out, "{:>24}", schedule);
    fmt::print(out, "\n");
    for (std::int64_t batch = 1; batch <= line.most_batch; batch *= 2) {
      PublishedRow row = line.row;
      row.id = fmt::format("{}, batch {}", line.name, batch);
      row.batch = batch;
      fmt::print(out, "{:>6}", batch);
      const SimulatedTime first = simulations.time(row, line.schedules.front());
      for (const std::string& schedule : line.schedules) {
        const SimulatedTime time = simulations.time(row, schedule);
        const Band ratio = ratio_band(first, time);
        fmt::print(out, "{:>24}",
                   fmt::format("{:.3f} ({:.2f})", time.nominal_us / 1e3,
                               first.nominal_us / time.nominal_us));
        json.push_back({{"what", line.name},
                        {"batch", batch},
                        {"schedule", schedule},
                        {"nominal_ms", time.nominal_us / 1e3},
                        {"p10_ms", time.band_us().p10 / 1e3},
                        {"p90_ms", time.band_us().p90 / 1e3},
                        {"sequential_over_it", first.nominal_us / time.nominal_us},
                        {"ratio_p10", ratio.p10},
                        {"ratio_p90", ratio.p90}});
      }
      fmt::print(out, "\n");
      std::fflush(out);
    }
  }
  return json;
}

}  // namespace braid::gpu_model
