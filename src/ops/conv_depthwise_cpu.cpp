#include <memory>
#include <numeric>

#include "base/checked.h"
#include "device/cpu/kernels/depthwise.h"
#include "device/cpu/machine/machine.h"
#include "ops/conv_parts_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kCacheLineBytes = 64;

/// How many lines of pixels side by side the nearest cache can hold. Pixels a power of two apart
/// share few places in it.
std::int64_t lines_of_pixels(std::int64_t channels) {
  const std::int64_t ways = machine().first_level_ways;
  const std::int64_t sets = machine().first_level_bytes / kCacheLineBytes / ways;
  const std::int64_t bytes = channels * std::int64_t{sizeof(float)};
  if (bytes % kCacheLineBytes != 0) return sets * ways;
  return sets / std::gcd(bytes / kCacheLineBytes, sets) * ways;
}

/// Whether blocks slide, and the inputs of one, beside its output and weights, stay in the nearest
/// cache until all vectors of their lines are done. Without FMA, products take the time and the
/// registers that sliding saves.
bool is_worthwhile_depthwise(const ConvGeometry& conv) {
  if (isa() == Isa::Baseline) return false;
  const Window& w = conv.window;
  const std::size_t last = w.axes() - 1;
  const SlidingBlocks& blocks =
      sliding_blocks(isa(), w.kernel[last], w.dilations[last] == 1 ? w.strides[last] : 0);
  if (blocks.most_pixels == 0 || conv.out_channels < depthwise_lanes(isa())) return false;
  const std::int64_t columns = w.output[last];
  const std::int64_t pixels = ceil_div(columns, ceil_div(columns, blocks.most_pixels));
  const std::int64_t inputs = (pixels - 1) * w.strides[last] + w.kernel[last];
  const std::int64_t parts_of_line = ceil_div(kWeightLine, blocks.channels);
  return inputs * parts_of_line + 2 <= lines_of_pixels(conv.in_channels);
}

void run_part(const Depthwise& kernel, const ConvGeometry& conv, const Epilogue& epilogue,
              const ConvPart& part, const KernelArgs& args) {
  const std::int64_t pixels = element_count(conv.window.output);
  const std::int64_t columns = conv.window.output.back();
  for (std::int64_t image = part.images.begin; image < part.images.end; ++image) {
    const std::int64_t first = image * pixels + part.rows.begin * columns;
    DepthwiseRows at;
    at.image = args.in<float>(0) + image * element_count(conv.window.input) * conv.in_channels;
    if (epilogue.bias) at.bias = args.in<float>(Epilogue::kBiasInput);
    if (epilogue.residual)
      at.residual = args.in<float>(Epilogue::kResidualInput) + first * conv.out_channels;
    at.pitch = args.pitch_of_rows(conv.out_channels);
    at.to = args.out<float>(0) + first * at.pitch;
    kernel.run(at, part.rows, part.channels);
  }
}

}  // namespace

std::optional<Way> prepare_conv_depthwise(const KernelCall& call) {
  const ConvGeometry conv = conv_geometry(call.op);
  if (!Depthwise::suits(call.op, conv)) return std::nullopt;
  if (!is_worthwhile_depthwise(conv) && !call.asks_for(kDepthwise)) return std::nullopt;
  const Epilogue epilogue = read_epilogue(call.op);
  const auto kernel = std::make_shared<Depthwise>(conv, epilogue, *call.op.known[1]);
  Way way = conv_way(call.op, conv, kDepthwise, kWeightLine);
  way.make = [=, output = call.op.outputs[0]](const Part& part) -> Kernel {
    kernel->make();
    return [=, own = conv_part(conv, output, part)](const KernelArgs& args) {
      run_part(*kernel, conv, epilogue, own, args);
    };
  };
  return way;
}

}  // namespace braid::cpu
