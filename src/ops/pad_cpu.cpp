#include <algorithm>
#include <numeric>

#include "device/cpu/kernels/part.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

/// An axis of the output, from the slowest in memory to the fastest.
struct PadAxis {
  std::int64_t before = 0;
  std::int64_t inside = 1;
  std::int64_t after = 0;
  std::int64_t output_step = 1;  ///< elements from index to index
  std::int64_t input_step = 1;

  bool is_padded() const { return before > 0 || after > 0; }
  std::int64_t extent() const { return before + inside + after; }
};

/// Writes every element of the output once.
template <class T>
class Padder {
 public:
  Padder(const std::vector<PadAxis>& axes, T value) : axes_(axes), value_(value) {}

  /// Writes the indices [begin, end) of an axis, with all axes that follow it.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the value has axes
  void run(std::size_t axis, std::int64_t begin, std::int64_t end, const T* from, T* to) const {
    const PadAxis& own = axes_[axis];
    const std::int64_t first = std::clamp(own.before, begin, end);
    const std::int64_t last = std::clamp(own.before + own.inside, begin, end);
    fill(own, begin, first, to);
    from += (first - own.before) * own.input_step;
    if (axis + 1 == axes_.size()) {
      std::copy_n(from, (last - first) * own.input_step, to + first * own.output_step);
    } else {
      for (std::int64_t i = first; i < last; ++i, from += own.input_step)
        run(axis + 1, 0, axes_[axis + 1].extent(), from, to + i * own.output_step);
    }
    fill(own, last, end, to);
  }

 private:
  void fill(const PadAxis& axis, std::int64_t begin, std::int64_t end, T* to) const {
    std::fill_n(to + begin * axis.output_step, (end - begin) * axis.output_step, value_);
  }

  const std::vector<PadAxis>& axes_;
  T value_;
};

/// The axes in that order. Those at the end that are not padded count as elements of the one
/// before.
std::vector<PadAxis> axes_in(const OpCall& op, const AxisOrder& order, const Dims& before) {
  const Dims input = strides_in(op.dims(0), order);
  const Dims output = strides_in(op.outputs[0].dims, order);
  std::vector<PadAxis> axes;
  for (const std::size_t axis : whole_order(order, input.size())) {
    const std::int64_t inside = op.dims(0)[axis];
    axes.push_back({before[axis], inside, op.outputs[0].dims[axis] - inside - before[axis],
                    output[axis], input[axis]});
  }
  while (axes.size() > 1 && !axes.back().is_padded()) axes.pop_back();
  return axes;
}

}  // namespace

std::optional<Way> prepare_pad(const KernelCall& call) {
  const OpCall& op = call.op;
  if (op.attributes->text("mode", "constant") != "constant") return std::nullopt;
  for (const std::size_t i : {1, 3})
    if (op.has(i) && op.known[i] == nullptr) return std::nullopt;
  const std::int64_t rank = op.rank(0);
  if (rank == 0) return std::nullopt;
  const std::vector<std::int64_t> pads = op.known_integers(1, "the pads");
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; }))
    return std::nullopt;
  std::vector<std::int64_t> padded(static_cast<std::size_t>(rank));
  std::iota(padded.begin(), padded.end(), 0);
  if (op.has(3)) padded = normal_axes(op.op, op.known_integers(3, "the axes"), rank);
  Dims before(static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < padded.size(); ++i)
    before[static_cast<std::size_t>(padded[i])] = pads[i];
  const AxisOrder& order = call.inputs[0];
  const TensorType output = op.outputs[0];
  const std::vector<PadAxis> axes = axes_in(op, order, before);
  Way way;
  way.implementation = "pad";
  way.input_orders = {order};
  way.output_orders = {order};
  way.cuts = cuts_in(output, order);
  // Axes before the one that is cut have one element.
  const auto cut_axis = static_cast<std::size_t>(
      std::ranges::find_if(axes, [](const PadAxis& axis) { return axis.extent() > 1; }) -
      axes.begin());
  if (cut_axis == axes.size()) way.cuts.clear();
  way.make = [=, given = op.has(2)](const Part& part) -> Kernel {
    const bool whole = part.count == 1;
    const CutRange range =
        whole ? CutRange{0, axes[0].extent()} : cut_range(output, part.cut, part.index, part.count);
    return [=, first = whole ? 0 : cut_axis](const KernelArgs& args) {
      dispatch_size(output.element, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const Padder<T> padder(axes, given ? *args.in<T>(2) : T{0});
        padder.run(first, range.begin, range.end, args.in<T>(0), args.out<T>(0));
      });
    };
  };
  return way;
}

}  // namespace braid::cpu
