#include <algorithm>
#include <memory>

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/rotary_embedding.h"

namespace braid::cpu {
namespace {

/// A pair (x, y) becomes (cosine * x - sine * y, sine * x + cosine * y). Elements from pair to pair
/// are `step` apart, those of a pair `apart`.
[[gnu::always_inline]] inline void rotate_pairs(const float* from, std::int64_t pairs,
                                                std::int64_t step, std::int64_t apart,
                                                const float* cosines, const float* sines,
                                                float* to) {
#pragma GCC ivdep
  for (std::int64_t k = 0; k < pairs; ++k) {
    const float x = from[k * step];
    const float y = from[k * step + apart];
    to[k * step] = cosines[k] * x - sines[k] * y;
    to[k * step + apart] = sines[k] * x + cosines[k] * y;
  }
}

/// Heads one behind the other in memory, each of which is rotated by its place in the sequence.
class RotaryKernel {
 public:
  RotaryKernel(const OpCall& call, const AxisOrder& order)
      : rotation_(rotation_of(call)), type_(call.outputs[0]) {
    const Rotation& r = rotation_;
    if (call.has(3)) cached_ = call.dims(1)[0];
    const Dims extents =
        r.heads_inside ? Dims{r.batch, r.length, r.heads} : Dims{r.batch, r.heads, r.length};
    const Dims sequence = r.heads_inside ? Dims{r.length, 1, 0} : Dims{r.length, 0, 1};
    for (const std::size_t axis : whole_order(order, type_.dims.size()))
      if (axis < extents.size()) axes_.push_back({extents[axis], sequence[axis]});
  }

  void run(CutRange elements, const KernelArgs& args) const {
    const std::int64_t size = rotation_.size;
    for (std::int64_t at = elements.begin; at < elements.end; at += size) {
      const std::int64_t row = row_of(at / size, args) * (rotation_.rotated / 2);
      rotate(args.in<float>(0) + at, args.in<float>(1) + row, args.in<float>(2) + row,
             args.out<float>(0) + at);
    }
  }

 private:
  struct HeadAxis {
    std::int64_t extent = 0;
    std::int64_t step = 0;  ///< in the sequences of the batch
  };

  /// The row of the caches for a head.
  std::int64_t row_of(std::int64_t head, const KernelArgs& args) const {
    std::int64_t row = 0;
    for (std::size_t i = axes_.size(); i-- > 0; head /= axes_[i].extent)
      row += head % axes_[i].extent * axes_[i].step;
    return cached_ < 0 ? row : checked_position(type_, args.in<std::int64_t>(3)[row], cached_);
  }

  void rotate(const float* from, const float* cosines, const float* sines, float* to) const {
    const std::int64_t pairs = rotation_.rotated / 2;
    on_best_isa([&]() __attribute__((always_inline)) {
      if (rotation_.interleaved)
        rotate_pairs(from, pairs, 2, 1, cosines, sines, to);
      else
        rotate_pairs(from, pairs, 1, pairs, cosines, sines, to);
    });
    std::copy(from + rotation_.rotated, from + rotation_.size, to + rotation_.rotated);
  }

  Rotation rotation_;
  TensorType type_;
  std::int64_t cached_ = -1;  // positions that the caches have; -1: theirs are the batch's
  std::vector<HeadAxis> axes_;
};

/// The order that the input has, if heads are whole in it.
AxisOrder order_of_heads(const KernelCall& call) {
  const std::size_t rank = call.op.dims(0).size();
  const bool last = whole_order(call.inputs[0], rank).back() + 1 == rank;
  return rank == 4 && last ? call.inputs[0] : AxisOrder{};
}

/// Parts have whole heads.
std::vector<Cut> cuts_between_heads(const TensorType& type, const AxisOrder& order) {
  std::vector<Cut> cuts = cuts_in(type, order);
  std::erase_if(cuts,
                [&](const Cut& cut) { return cut.axis + 1 == static_cast<int>(type.dims.size()); });
  return cuts;
}

}  // namespace

std::optional<Way> prepare_rotary(const KernelCall& call) {
  for (std::size_t i = 0; i < 3; ++i)
    if (call.op.input(i).element != ElementType::F32) return std::nullopt;
  const AxisOrder order = order_of_heads(call);
  const TensorType output = call.op.outputs[0];
  Way way;
  way.implementation = "rotary";
  way.input_orders = {order};
  way.output_orders = {order};
  way.cuts = cuts_between_heads(output, order);
  const auto kernel = std::make_shared<const RotaryKernel>(call.op, order);
  way.make = [=](const Part& part) -> Kernel {
    return [=, range = outermost_range(output, part)](const KernelArgs& args) {
      kernel->run(range, args);
    };
  };
  return way;
}

}  // namespace braid::cpu
