// Published figures beside what the GPU model says in the papers' own set-ups. Nothing of the model
// is fitted to them.
//
//     build/release/bench/bench_gpu_model [IOS_SCHEDULE.json]
//
// The argument is the schedule that IOS found for Inception-v3 at batch 1 on a V100, in its own
// format. Everything printed under "simulated" is simulated.
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "device/device.h"
#include "devices/open.h"
#include "pipeline/stages.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "stages.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;
using namespace braid::gpu_model;

void print_row(const std::string& what, const std::string& published, double simulated,
               const Band& band, const std::string& distance) {
  fmt::print("{:56}{:>12}{:>11.2f}  [{:.2f}, {:.2f}]{:>14}\n", what, published, simulated, band.p10,
             band.p90, distance);
}

void print_time(const std::string& what, double published_ms, const SimulatedTime& time) {
  const Band band = time.band_us();
  print_row(what + ", ms", fmt::format("{:.2f}", published_ms), time.nominal_us / 1e3,
            {band.median / 1e3, band.p10 / 1e3, band.p90 / 1e3},
            fmt::format("{:+.1f} %", 100 * (time.nominal_us / 1e3 / published_ms - 1)));
}

/// How much longer `slow` takes than `fast`: 0.5 is half as long again.
void print_gain(const std::string& what, double published, const SimulatedTime& slow,
                const SimulatedTime& fast) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < slow.draws_us.size(); ++i)
    gains.push_back(slow.draws_us[i] / fast.draws_us[i] - 1);
  const double nominal = slow.nominal_us / fast.nominal_us - 1;
  print_row(what + ", gain", fmt::format("{:.2f}", published), nominal, band_of(gains),
            fmt::format("{:+.2f}", nominal - published));
}

std::vector<sim::IosStage> read_ios_schedule(const sim::GpuSpec& gpu, const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  return sim::parse_ios_schedule(gpu, text, path).stages;
}

/// IOS: convolutions with bias and activation, streams, device syncs between parallel stages.
void print_ios(const std::string& schedule_file) {
  const sim::GpuSpec gpu = sim::load_gpu_spec("v100");
  const auto units = [&](std::string_view model) {
    CanonicaliseOptions options;
    options.disabled = {"merge-common-subexpressions"};
    return units_of(gpu, canonicalise(zoo::build(model), options).graph);
  };
  const Units inception = units("inception-v3");
  if (!schedule_file.empty())
    print_time("IOS, V100: Inception-v3, its schedule file", 4.03,
               sim::ios_time(gpu, read_ios_schedule(gpu, schedule_file)));
  print_time("IOS, V100: Inception-v3, sequential", 6.51,
             sim::ios_time(gpu, sequential(inception)));
  print_time("IOS, V100: Inception-v3, greedy", 4.62, sim::ios_time(gpu, greedy(inception)));
  const Units nasnet = units("nasnet-a-large");
  const SimulatedTime nasnet_row = sim::ios_time(gpu, sequential(nasnet));
  const SimulatedTime nasnet_greedy = sim::ios_time(gpu, greedy(nasnet));
  print_time("IOS, V100: NASNet-A large, sequential", 22.95, nasnet_row);
  print_gain("IOS, V100: NASNet-A large, greedy over sequential", 22.95 / 16.78 - 1, nasnet_row,
             nasnet_greedy);
  const Units squeezenet = units("squeezenet");
  const SimulatedTime squeeze_row = sim::ios_time(gpu, sequential(squeezenet));
  print_time("IOS, V100: SqueezeNet, sequential", 0.86, squeeze_row);
  print_gain("IOS, V100: SqueezeNet, greedy over sequential", 0.86 / 0.98 - 1, squeeze_row,
             sim::ios_time(gpu, greedy(squeezenet)));
}

/// Opara: the graph as PyTorch has it, one CUDA Graph.
struct Captured {
  std::unique_ptr<Device> device;
  Graph lowered;

  SimulatedTime time(std::string_view scheduler) const {
    const Plan plan = schedule(scheduler, lowered, device->modelled_costs(), device->spec(), {});
    return *device->compile(lowered, plan)->simulate();
  }
};

Captured captured(std::string_view device, std::string_view model) {
  Captured result;
  result.device = open_device(fmt::format("{}+eager", device));
  const PipelineOptions options;
  result.lowered =
      lowered(canonical(zoo::build(model), *result.device, options), *result.device, options).graph;
  return result;
}

void print_opara() {
  const Captured googlenet = captured("sim:rtx2080s", "googlenet");
  const SimulatedTime row = googlenet.time("sequential");
  const SimulatedTime opara = googlenet.time("opara:published");
  print_time("Opara, 2080 SUPER: GoogLeNet, sequential", 1.868, row);
  print_gain("Opara, 2080 SUPER: GoogLeNet over sequential", 0.69, row, opara);
  print_gain("Opara, 2080 SUPER: GoogLeNet, launch order alone", 1.44 / 1.08 - 1,
             googlenet.time("opara:streams-only"), opara);
  const auto gain = [](std::string_view device, std::string_view model, std::string_view called,
                       double published) {
    const Captured one = captured(device, model);
    const SimulatedTime before = one.time("sequential");
    const SimulatedTime after = one.time("opara:published");
    print_gain(fmt::format("Opara, {} over sequential", called), published, before, after);
    fmt::print("    ({:.2f} ms and {:.2f} ms)\n", before.nominal_us / 1e3, after.nominal_us / 1e3);
  };
  gain("sim:rtx2080s", "inception-v3", "2080 SUPER: Inception-v3", 0.34);
  gain("sim:a100+tf32", "nasnet-a-large", "A100: NASNet-A large", 0.65);
  gain("sim:a100+tf32", "bert-base", "A100: BERT", 0.08);
}

/// The time of one nominal simulation, kernels chosen before.
void print_speed(std::string_view model) {
  const Captured one = captured("sim:a100", model);
  const Plan plan =
      schedule("opara", one.lowered, one.device->modelled_costs(), one.device->spec(), {});
  const auto program = one.device->compile(one.lowered, plan);
  const std::clock_t start = std::clock();
  program->simulate();  // the nominal model and 16 draws
  const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{}: {:.1f} ms of processor time per simulation of {} nodes\n", model, ms / 17,
             one.lowered.node_count());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    fmt::print("{:56}{:>12}{:>11}  {:14}{:>12}\n", "", "published", "simulated", "[p10, p90]",
               "distance");
    print_ios(count > 1 ? arguments[1] : "");
    print_opara();
    fmt::print("\n");
    print_speed("inception-v3");
    print_speed("nasnet-a-large");
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
