#include <algorithm>
#include <cmath>
#include <limits>

#include "device/cpu/isa.h"
#include "device/cpu/part.h"
#include "ops/epilogue.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

constexpr std::size_t kParameters = 4;
/// Pixels that are normalised of one input before the next: few enough to stay in the first cache.
constexpr std::int64_t kPixels = 8;

/// What BatchNormalization computes (ops/norm_cpu.cpp), from inputs that lie apart.
struct ConcatNorm {
  std::vector<std::int64_t> widths;  ///< channels of each input
  std::int64_t channels = 0;
  float epsilon = 0;
  float lowest = -std::numeric_limits<float>::infinity();

  explicit ConcatNorm(const OpCall& call) : epsilon(call.attributes->real("epsilon", 1e-5F)) {
    for (std::size_t i = kParameters; i < call.inputs.size(); ++i)
      widths.push_back(call.dims(i)[1]);
    channels = call.outputs[0].dims[1];
    if (read_epilogue(*call.attributes).activation == Activation::Relu) lowest = 0;
  }

  void run(const KernelArgs& args, std::int64_t first, std::int64_t last) const {
    const float* __restrict scale = args.in<float>(0);
    const float* __restrict variance = args.in<float>(3);
    auto* __restrict factors = reinterpret_cast<float*>(args.scratch);
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::int64_t c = 0; c < channels; ++c)
        factors[c] = scale[c] / std::sqrt(variance[c] + epsilon);
      for (std::int64_t begin = first; begin < last; begin += kPixels) {
        std::int64_t channel = 0;
        for (std::size_t i = 0; i < widths.size(); channel += widths[i++])
          normalise(args, i, channel, begin, std::min(begin + kPixels, last));
      }
    });
  }

  /// The pixels of one input, whose channels begin at `channel`.
  [[gnu::always_inline]] void normalise(const KernelArgs& args, std::size_t input,
                                        std::int64_t channel, std::int64_t begin,
                                        std::int64_t end) const {
    const std::int64_t width = widths[input];
    const float* __restrict shift = args.in<float>(1) + channel;
    const float* __restrict mean = args.in<float>(2) + channel;
    const float* __restrict factors = reinterpret_cast<const float*>(args.scratch) + channel;
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      const float* __restrict x = args.in<float>(kParameters + input) + pixel * width;
      float* __restrict y = args.out<float>(0) + pixel * channels + channel;
      for (std::int64_t c = 0; c < width; ++c) {
        const float value = (x[c] - mean[c]) * factors[c] + shift[c];
        y[c] = value < lowest ? lowest : value;
      }
    }
  }
};

}  // namespace

std::optional<Prepared> prepare_concat_norm(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type->element != ElementType::F32) return std::nullopt;
  const Activation activation = read_epilogue(*call.attributes).activation;
  if (activation != Activation::None && activation != Activation::Relu) return std::nullopt;
  const TensorType output = call.outputs[0];
  if (output.dims.size() < 3) return std::nullopt;
  const AxisOrder order = channels_last_order(output.dims.size());
  const ConcatNorm kernel(call);
  Prepared prepared;
  prepared.implementation = "concat_norm";
  prepared.scratch_bytes = kernel.channels * std::int64_t{sizeof(float)};
  prepared.input_orders.resize(kParameters);
  prepared.input_orders.resize(call.inputs.size(), order);
  prepared.output_orders = {order};
  prepared.cuts = cuts_in(output, order);
  if (!prepared.cuts.empty() && prepared.cuts[0].axis == 1) prepared.cuts.clear();
  prepared.make = [kernel, output](const Part& part) -> Kernel {
    const CutRange range = outermost_range(output, part);
    return [kernel, first = range.begin / kernel.channels, last = range.end / kernel.channels](
               const KernelArgs& args) { kernel.run(args, first, last); };
  };
  return prepared;
}

}  // namespace braid::cpu
