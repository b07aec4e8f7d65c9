#include "device/sim/sim_device.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "device/lowering/rules.h"
#include "device/lowering/view_buffers.h"
#include "device/sim/gpu_costs.h"
#include "device/sim/sim_judge.h"
#include "device/sim/sim_program.h"
#include "ops/catalog.h"
#include "ops/shared/elements.h"
#include "sim/plan_launches.h"

namespace braid::sim {
namespace {

/// Streams that a CUDA Graph may have side by side.
constexpr int kGraphStreams = 32;
/// Priorities of kernels, as CUDA has them since compute capability 7.
constexpr int kPriorities = 6;

DeviceSpec device_spec(const SimSettings& settings) {
  const GpuSpec& gpu = settings.gpu;
  DeviceSpec spec;
  spec.name = settings.name;
  spec.streams =
      settings.engine.mode == LaunchMode::Graph ? kGraphStreams : gpu.costs.hardware_queues;
  spec.flops_per_us = gpu.fp32_flops_per_us;
  spec.bytes_per_us = gpu.dram_bytes_per_us;
  spec.bytes_per_us_stream = gpu.dram_bytes_per_us;
  spec.launch_us = gpu.costs.edge_us;
  spec.wait_us = gpu.costs.cross_edge_us;
  spec.priorities = kPriorities;
  spec.launches = true;
  return spec;
}

constexpr std::string_view kOwnKernel = "PyTorch has a kernel of its own for it";
/// What is not kept from PyTorch: constants that are folded, what changes nothing or only a shape,
/// and parts of a Gelu or LayerNormalization, each of which is one kernel there.
constexpr auto kNotEager = std::to_array<OmittedStep>({
    {"merge-common-subexpressions", "PyTorch computes what the model says twice"},
    {"merge-concats", "PyTorch copies for every Concat"},
    {"cancel-split-concat", "PyTorch copies for every Concat"},
    {"fold-batch-norm", kOwnKernel},
    {"fold-scale", kOwnKernel},
    {"join-branches", "PyTorch runs what the model says"},
    {"fold-pads", kOwnKernel},
    {"fuse-bias", kOwnKernel},
    {"fuse-residual", kOwnKernel},
    {"fuse-activation", kOwnKernel},
});

std::string implementation_of(const std::vector<Kernel>& kernels) {
  std::string text;
  for (const Kernel& kernel : kernels) text += (text.empty() ? "" : "+") + kernel.family;
  return text;
}

class SimDevice : public Device {
 public:
  explicit SimDevice(SimSettings settings)
      : settings_(std::move(settings)), spec_(device_spec(settings_)), costs_(settings_.ways) {}

  const DeviceSpec& spec() const override { return spec_; }
  std::string fingerprint() const override {
    return fmt::format("{}, a model of {}", spec_.name, settings_.gpu.title);
  }
  std::vector<std::string> notes() const override { return settings_.gpu.notes; }
  const CostModel& modelled_costs() const override { return costs_; }

  std::optional<std::string> rejects(const Graph& graph, NodeId id) const override {
    const Node& node = graph.node(id);
    if (find_op(node.op) == nullptr) return fmt::format("there is no operator {}", quote(node.op));
    return std::nullopt;
  }

  std::vector<OmittedStep> omitted_steps() const override {
    if (settings_.runtime != Runtime::Eager) return {};
    return {kNotEager.begin(), kNotEager.end()};
  }

  std::vector<RewriteStep> lowering_steps() const override {
    if (settings_.runtime != Runtime::Braid) return {};
    return {step_of(fuse_chains()), split_as_view(), concat_as_view()};
  }

  Graph lower_nodes(const Graph& graph, const LowerOptions& /*options*/) const override {
    Graph lowered = graph;
    const bool warm_weights = weights_fit(settings_.gpu, graph);
    for (NodeId id : lowered.node_ids()) {
      if (const auto reason = rejects(graph, id))
        raise(ErrorKind::Unsupported,
              fmt::format("{} cannot run {}: {}", spec_.name, describe(graph, id), *reason));
      const auto where = [&] { return "while lowering " + describe(graph, id); };
      lowered.set_lowering(id,
                           with_note(where, [&] { return lowering_of(graph, id, warm_weights); }));
    }
    return lowered;
  }

  bool is_simulated() const override { return true; }
  std::vector<int> ways(const Graph& lowered) const override {
    const bool warm_weights = weights_fit(settings_.gpu, lowered);
    std::vector<int> counts(lowered.node_limit(), 1);
    for (NodeId node : lowered.node_ids())
      counts[node.at()] = static_cast<int>(settings_.ways->of(lowered, node, warm_weights)->size());
    return counts;
  }
  std::unique_ptr<Judge> judge(const Graph& lowered, const CostModel& /*costs*/,
                               const DeviceSpec& /*spec*/) const override {
    return make_judge(settings_, lowered);
  }

  using Device::compile;
  std::vector<std::unique_ptr<Program>> compile(const Graph& lowered,
                                                std::span<const Plan> plans) const override {
    std::vector<std::unique_ptr<Program>> programs;
    for (const Plan& plan : plans) programs.push_back(make_program(settings_, lowered, plan));
    return programs;
  }

 private:
  Lowering lowering_of(const Graph& graph, NodeId id, bool warm_weights) const {
    const Node& node = graph.node(id);
    if (!node.lowering.implementation.empty()) return node.lowering;  // a step has chosen
    if (keeps_elements(node))
      return {std::string(hands_on_bytes(graph, id) ? kViewImplementation : "copy"), 0, {}};
    const auto ways = settings_.ways->of(graph, id, warm_weights);
    std::int64_t scratch = 0;
    for (const std::vector<Kernel>& kernels : *ways)
      scratch = std::max(scratch, scratch_bytes(kernels));
    return {implementation_of(ways->front()), scratch, {}};
  }

  SimSettings settings_;
  DeviceSpec spec_;
  GpuCosts costs_;
};

/// A word that may stand behind the name of a GPU.
struct Word {
  std::string_view name;
  std::string_view needs;  ///< what a GPU must have for it; empty: nothing
  bool (*fits)(const GpuSpec&);
  void (*apply)(SimSettings&);
  std::string_view says = {};  ///< of two words that say the same thing, one may stand there
};
bool fits_all(const GpuSpec&) { return true; }
constexpr std::string_view kSaysKernels = "how a model becomes kernels";
constexpr std::string_view kSaysChoice = "which kernels the library takes";
constexpr std::array kWords = {
    Word{"tf32", "TF32 tensor cores (tf32_tflops in its spec)",
         [](const GpuSpec& gpu) { return gpu.tensor_flops_per_us > 0; },
         [](SimSettings& settings) { settings.kernels.precision = Precision::Tf32; }},
    Word{"streams", "", fits_all,
         [](SimSettings& settings) { settings.engine.mode = LaunchMode::Streams; }},
    Word{"measured", "", fits_all, [](SimSettings& settings) { settings.kernels.measured = true; },
         kSaysChoice},
    Word{"answers", "answers of cuDNN (cudnn in its spec)",
         [](const GpuSpec& gpu) { return gpu.conv_answers != nullptr; },
         [](SimSettings& settings) { settings.kernels.answers = true; }, kSaysChoice},
    Word{"eager", "", fits_all, [](SimSettings& settings) { settings.runtime = Runtime::Eager; },
         kSaysKernels},
    Word{"framework", "", fits_all,
         [](SimSettings& settings) { settings.runtime = Runtime::Framework; }, kSaysKernels},
};

std::string words_for(const GpuSpec& gpu) {
  std::vector<std::string> fitting;
  for (const Word& word : kWords)
    if (word.fits(gpu)) fitting.push_back(fmt::format("+{}", word.name));
  return fmt::format("{}", fmt::join(fitting, ", "));
}

/// Applies the word and returns it.
const Word& apply(std::string_view name, SimSettings& settings) {
  const auto* word = std::ranges::find(kWords, name, &Word::name);
  if (word == kWords.end())
    raise(ErrorKind::Usage,
          fmt::format("{} has nothing called {}; it takes: {}", quote(settings.name), quote(name),
                      words_for(settings.gpu)));
  if (!word->fits(settings.gpu))
    raise(ErrorKind::Usage,
          fmt::format("{}: +{} needs {}, and {} has none; it takes: {}", quote(settings.name), name,
                      word->needs, settings.gpu.title, words_for(settings.gpu)));
  word->apply(settings);
  return *word;
}

void check_together(const Word& word, const Word& other, const SimSettings& settings) {
  if (&word == &other)
    raise(ErrorKind::Usage,
          fmt::format("{}: +{} stands there twice", quote(settings.name), word.name));
  if (!word.says.empty() && word.says == other.says)
    raise(ErrorKind::Usage, fmt::format("{}: +{} and +{} each say {}; take one of them",
                                        quote(settings.name), word.name, other.name, word.says));
}

/// How much of the text is the path of a file that is there, which ends at a "+" or at the end; 0
/// if there is none.
std::size_t spec_file_length(std::string_view what) {
  std::error_code failed;
  for (std::size_t end = what.size(); end != 0 && end != std::string_view::npos;
       end = what.rfind('+', end - 1)) {
    const std::string_view path = what.substr(0, end);
    const bool is_path = path.find('/') != std::string_view::npos || path.ends_with(".json");
    if (is_path && std::filesystem::is_regular_file(path, failed)) return end;
  }
  return 0;
}

SimSettings settings_of(std::string_view what) {
  SimSettings settings;
  settings.name = "sim:" + std::string(what);
  // A path may contain "+", so words are taken from the end: behind the name of a file all of them,
  // else those that are known, so that a file which is missing is told by its whole name.
  std::string_view gpu = what;
  std::vector<std::string_view> words;
  const std::size_t file = spec_file_length(what);
  const auto ends_in_a_word = [&] {
    return std::ranges::any_of(
        kWords, [&](const Word& word) { return gpu.ends_with(fmt::format("+{}", word.name)); });
  };
  while (gpu.size() != file &&
         (file > 0 || ends_in_a_word() ||
          (gpu.find('+') != std::string_view::npos && gpu.find('/') == std::string_view::npos))) {
    const std::size_t plus = gpu.rfind('+');
    words.push_back(gpu.substr(plus + 1));
    gpu = gpu.substr(0, plus);
  }
  settings.gpu = load_gpu_spec(gpu);
  std::vector<const Word*> seen;
  for (const std::string_view name : std::views::reverse(words)) {
    const Word& word = apply(name, settings);
    for (const Word* other : seen) check_together(*other, word, settings);
    seen.push_back(&word);
  }
  settings.kernels.pointwise_products = settings.runtime == Runtime::Braid;
  return settings;
}

}  // namespace

std::unique_ptr<Device> make_device(std::string_view what, const DeviceOptions& options) {
  SimSettings settings = settings_of(what);
  if (options != DeviceOptions{})
    settings.gpu.notes.push_back(
        fmt::format("sim:{} is simulated and runs on no cores: threads, pinning and instruction "
                    "set are for the device cpu and change nothing here",
                    printable(what)));
  settings.ways = std::make_shared<KnownWays>(settings.gpu, settings.kernels);
  return std::make_unique<SimDevice>(std::move(settings));
}

GpuSpec gpu_of(std::string_view what) { return settings_of(what).gpu; }
KernelOptions kernel_options_of(std::string_view what) { return settings_of(what).kernels; }

}  // namespace braid::sim
