#include <algorithm>
#include <cmath>
#include <limits>

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {
namespace {

/// Pixels of one input that are normalised before the next input: few enough for the first cache.
constexpr std::int64_t kPixels = 8;

/// y = factor * x + shift, one pair for each channel, and nothing below `lowest`. x is one input,
/// or several whose channels follow one another.
struct BatchNorm {
  std::size_t first_parameter = 0;  ///< scale; shift, mean and variance come behind it
  std::size_t first_input = 0;
  std::vector<std::int64_t> widths;  ///< channels of each input
  std::int64_t channels = 1;
  float epsilon = 0;
  float lowest = -std::numeric_limits<float>::infinity();

  BatchNorm(const OpCall& call, std::size_t parameter, std::size_t input, std::size_t inputs)
      : first_parameter(parameter),
        first_input(input),
        epsilon(call.attributes->real("epsilon", 1e-5F)) {
    for (std::size_t i = 0; i < inputs; ++i)
      widths.push_back(call.rank(input + i) > 1 ? call.dims(input + i)[1] : 1);
    channels = call.outputs[0].dims.size() > 1 ? call.outputs[0].dims[1] : 1;
    if (read_epilogue(*call.attributes).is_relu()) lowest = 0;
  }

  const float* parameter(const KernelArgs& args, std::size_t i) const {
    return args.in<float>(first_parameter + i);
  }
  [[gnu::always_inline]] float factor(const KernelArgs& args, std::int64_t c) const {
    return parameter(args, 0)[c] / std::sqrt(parameter(args, 3)[c] + epsilon);
  }
  /// The number, but at least `lowest`; NaN stays NaN.
  [[gnu::always_inline]] float raised(float y) const { return y < lowest ? lowest : y; }

  void run_channels_last(const KernelArgs& args, std::int64_t first, std::int64_t last) const {
    auto* factors = reinterpret_cast<float*>(args.scratch);
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::int64_t c = 0; c < channels; ++c) factors[c] = factor(args, c);
      for (std::int64_t begin = first; begin < last; begin += kPixels) {
        std::int64_t channel = 0;
        for (std::size_t i = 0; i < widths.size(); channel += widths[i++])
          normalise(args, i, channel, begin, std::min(begin + kPixels, last));
      }
    });
  }

  /// Normalises the pixels [begin, end) of one input, whose channels begin at `channel`.
  [[gnu::always_inline]] void normalise(const KernelArgs& args, std::size_t input,
                                        std::int64_t channel, std::int64_t begin,
                                        std::int64_t end) const {
    const std::int64_t width = widths[input];
    const float* __restrict shift = parameter(args, 1) + channel;
    const float* __restrict mean = parameter(args, 2) + channel;
    const float* __restrict factors = reinterpret_cast<const float*>(args.scratch) + channel;
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      const float* __restrict x = args.in<float>(first_input + input) + pixel * width;
      float* __restrict y = args.out<float>(0) + pixel * args.pitch_of_rows(channels) + channel;
      for (std::int64_t c = 0; c < width; ++c)
        y[c] = raised((x[c] - mean[c]) * factors[c] + shift[c]);
    }
  }
};

bool has_kernel(const OpCall& call) {
  const Epilogue epilogue = read_epilogue(*call.attributes);
  return all_f32(call) && (epilogue.activation == nullptr || epilogue.is_relu());
}

/// A kernel on channels-last values, which can be cut by pixels.
Way prepare_channels_last(const OpCall& call, const BatchNorm& kernel,
                          std::string_view implementation) {
  const TensorType output = call.outputs[0];
  const AxisOrder order = channels_last_order(output.dims.size());
  Way way;
  way.implementation = implementation;
  way.takes_pitch = true;
  way.scratch_bytes = kernel.channels * std::int64_t{sizeof(float)};
  way.input_orders.resize(call.inputs.size());
  std::fill_n(way.input_orders.begin() + static_cast<std::ptrdiff_t>(kernel.first_input),
              kernel.widths.size(), order);
  way.output_orders = {order};
  way.cuts = cuts_in(output, order);
  if (!way.cuts.empty() && way.cuts[0].axis == 1) way.cuts.clear();
  way.make = [kernel, output](const Part& part) -> Kernel {
    const CutRange range = outermost_range(output, part);
    return [kernel, first = range.begin / kernel.channels, last = range.end / kernel.channels](
               const KernelArgs& args) { kernel.run_channels_last(args, first, last); };
  };
  return way;
}

}  // namespace

std::optional<Way> prepare_batch_norm(const KernelCall& call) {
  if (!has_kernel(call.op)) return std::nullopt;
  const BatchNorm kernel(call.op, 1, 0, 1);
  const Dims& dims = call.op.dims(0);
  if (dims.size() < 2) return std::nullopt;
  return prepare_channels_last(call.op, kernel, "batch_norm");
}

std::optional<Way> prepare_concat_norm(const OpCall& call) {
  constexpr std::size_t parameters = 4;
  if (!has_kernel(call) || call.outputs[0].dims.size() < 3) return std::nullopt;
  return prepare_channels_last(
      call, BatchNorm(call, 0, parameters, call.inputs.size() - parameters), "concat_norm");
}

}  // namespace braid::cpu
