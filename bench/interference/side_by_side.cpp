// What kernels do to one another side by side, on every GPU that comes with Braid and as the model
// has it, and Opara's case of it.
//
//     ./run bench-tool interference
//
// Opara (IEEE TC 2025) reports that on an A100 a convolution beside a ReLU instead of a ReLU beside
// a ReLU takes 13.6 % less. Sizes were not published, so several are tried here. Everything
// printed under "simulated" is simulated.
#include <fmt/format.h>

#include "base/error.h"
#include "graph/text.h"
#include "sim/ensemble.h"
#include "sim/interference.h"
#include "sim/kernels.h"

namespace {

using namespace braid;
using namespace braid::sim;

void print_classes() {
  fmt::print("{:12}{:>20}{:>20}{:>20}   {}\n", "times alone", "compute, compute", "compute, memory",
             "memory, memory", "source");
  for (const std::string& name : gpu_names()) {
    fmt::print("{:12}", name);
    const std::vector<Interference> rows = class_interference(load_gpu_spec(name));
    for (const Interference& row : rows)
      fmt::print("{:>13.2f}, {:.2f} ", row.slowdowns[0], row.slowdowns[1]);
    fmt::print("   {}\n", rows[0].source);
  }
}

/// Launches in steps: two operators side by side in each, after all of the step before.
class Steps {
 public:
  Steps& operator()(const std::vector<Kernel>& first, const std::vector<Kernel>& second) {
    const std::vector<std::int32_t> before = ends_;
    ends_.clear();
    add(first, 0, before);
    add(second, 1, before);
    return *this;
  }
  std::vector<Launch> launches;

 private:
  void add(const std::vector<Kernel>& kernels, int stream, std::vector<std::int32_t> after) {
    std::erase_if(after, [&](std::int32_t launch) {
      return launches[static_cast<std::size_t>(launch)].stream == stream;
    });
    for (const Kernel& kernel : kernels) {
      launches.push_back({.kernel = kernel, .stream = stream, .after = std::move(after)});
      after = {};
    }
    if (!kernels.empty()) ends_.push_back(static_cast<std::int32_t>(launches.size()) - 1);
  }

  std::vector<std::int32_t> ends_;
};

struct Case {
  int batch;
  int channels;
  int window;  ///< of the convolution
};

void print_case(const GpuSpec& gpu, const Case& sizes, Precision precision) {
  const std::string type = fmt::format("f32[{},{},56,56]", sizes.batch, sizes.channels);
  const Graph graph = parse_graph(
      fmt::format("x: {0}\nc: {0} = Conv(x, w: f32[{1},{1},{2},{2}]) pads=[{3},{3},{3},{3}]\n"
                  "r: {0} = Relu(x)",
                  type, sizes.channels, sizes.window, sizes.window / 2),
      {});
  const KernelOptions options{.precision = precision};
  const auto conv = kernels_of(gpu, graph, graph.node_ids()[0], options);
  const auto relu = kernels_of(gpu, graph, graph.node_ids()[1], options);
  Steps alike;
  alike(relu, relu)(conv, {});
  Steps mixed;
  mixed(conv, relu)(relu, {});
  const SimulatedTime before = simulate_all(gpu, alike.launches);
  const SimulatedTime after = simulate_all(gpu, mixed.launches);
  const Band band = ratio_band(after, before);
  fmt::print("{:20}{:6}{:6}{:>11.1f}{:>11.1f}{:>+10.1f} %  [{:+.1f}, {:+.1f}]\n", type,
             fmt::format("{0}x{0}", sizes.window), precision == Precision::Tf32 ? "tf32" : "f32",
             solo_us(gpu, conv), solo_us(gpu, relu),
             100 * (after.nominal_us / before.nominal_us - 1), 100 * (band.p10 - 1),
             100 * (band.p90 - 1));
}

void print_opara() {
  const GpuSpec gpu = load_gpu_spec("a100");
  fmt::print(
      "\nOpara, A100: Conv beside ReLU, then ReLU, instead of ReLU beside ReLU, then Conv. "
      "Published: -13.6 %\n");
  fmt::print("{:32}{:>11}{:>11}{:>12}  [p10, p90]\n", "simulated", "Conv us", "ReLU us", "time");
  for (const Precision precision : {Precision::Float32, Precision::Tf32})
    for (const Case& sizes :
         {Case{1, 64, 3}, Case{1, 256, 3}, Case{32, 64, 3}, Case{1, 64, 1}, Case{32, 64, 1}})
      print_case(gpu, sizes, precision);
}

}  // namespace

int main() {
  try {
    print_classes();
    print_opara();
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
