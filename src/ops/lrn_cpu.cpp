#include <algorithm>
#include <cmath>

#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/reduced_view.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

struct Normalization {
  AxisView channels;
  std::int64_t before = 0;  ///< channels of a window before its own
  std::int64_t after = 0;
  float alpha = 0;
  float beta = 0;
  float bias = 0;

  /// Whether the power is a product of roots.
  bool has_roots() const { return beta == 0.75F && alpha >= 0 && bias >= 0; }
};

Normalization normalization_of(const OpCall& call, const AxisView& channels) {
  const std::int64_t size = call.attributes->integer("size", 1);
  return {.channels = channels,
          .before = std::min((size - 1) / 2, channels.length),
          .after = std::min(size / 2, channels.length),
          .alpha = call.attributes->real("alpha", 1e-4F) / static_cast<float>(size),
          .beta = call.attributes->real("beta", 0.75F),
          .bias = call.attributes->real("bias", 1)};
}

/// Adds up the squares in the windows of some elements of a block, [begin, end).
[[gnu::always_inline]] inline void add_squares(const Normalization& norm, const float* block,
                                               std::int64_t begin, std::int64_t end, float* sums) {
  const std::int64_t length = norm.channels.length;
  const std::int64_t inner = norm.channels.inner;
  std::fill_n(sums, end - begin, 0.0F);
  for (std::int64_t k = -norm.before; k <= norm.after; ++k) {
    const std::int64_t first = std::max(begin, -k * inner);
    const std::int64_t last = std::min(end, (length - k) * inner);
    const float* from = block + k * inner;
    for (std::int64_t i = first; i < last; ++i) sums[i - begin] += from[i] * from[i];
  }
}

[[gnu::always_inline]] inline void divide(const Normalization& norm, const float* from,
                                          const float* sums, std::int64_t count,
                                          float* __restrict to) {
  const float alpha = norm.alpha;
  const float bias = norm.bias;
  if (norm.has_roots()) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float root = std::sqrt(bias + alpha * sums[i]);
      to[i] = from[i] / (root * std::sqrt(root));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = from[i] / std::pow(bias + alpha * sums[i], norm.beta);
  }
}

/// The elements `range`, some that stay in the first cache at a time.
void normalize(const Normalization& norm, CutRange range, const float* from, float* to) {
  constexpr std::int64_t most = 1024;
  const std::int64_t block_size = norm.channels.length * norm.channels.inner;
  on_best_isa([&]() __attribute__((always_inline)) {
    float sums[most];
    for (std::int64_t i = range.begin; i < range.end;) {
      const std::int64_t inside = i % block_size;
      const std::int64_t count = std::min({most, block_size - inside, range.end - i});
      add_squares(norm, from + i - inside, inside, inside + count, sums);
      divide(norm, from + i, sums, count, to + i);
      i += count;
    }
  });
}

}  // namespace

std::optional<Way> prepare_lrn(const KernelCall& call) {
  const TensorType output = call.op.outputs[0];
  if (output.element != ElementType::F32) return std::nullopt;
  const AxisOrder order = call.inputs[0];
  const Normalization norm = normalization_of(call.op, *reduced_view(output.dims, order, {1}));
  Way way;
  way.implementation = "lrn";
  way.input_orders = {order};
  way.output_orders = {order};
  way.cuts = cuts_in(output, order);
  way.make = [norm, output](const Part& part) -> Kernel {
    return [norm, range = outermost_range(output, part)](const KernelArgs& args) {
      normalize(norm, range, args.in<float>(0), args.out<float>(0));
    };
  };
  return way;
}

}  // namespace braid::cpu
