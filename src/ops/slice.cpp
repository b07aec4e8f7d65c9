#include "ops/slice.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/strided.h"

namespace braid {
namespace {

SliceRange range_of(std::int64_t length, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (length == 0) return {};
  const auto bounded = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    return std::clamp(at < 0 ? at + length : at, low, high);
  };
  SliceRange range;
  if (step > 0) {
    range.start = bounded(start, 0, length);
    const std::int64_t stop = bounded(end, 0, length);
    if (stop > range.start) range.count = (stop - range.start - 1) / step + 1;
  } else {
    // The lowest integer has no opposite; a step that long takes one element in any case.
    const std::int64_t back = -std::max(step, -std::numeric_limits<std::int64_t>::max());
    range.start = bounded(start, 0, length - 1);
    const std::int64_t stop = bounded(end, -1, length - 1);
    if (range.start > stop) range.count = (range.start - stop - 1) / back + 1;
  }
  range.step = range.count > 1 ? step : 1;
  if (range.count == 0) range.start = 0;
  return range;
}

std::vector<std::int64_t> list_or(const OpCall& call, std::size_t i, std::string_view what,
                                  std::vector<std::int64_t> otherwise) {
  return call.has(i) ? call.known_integers(i, what) : std::move(otherwise);
}

std::vector<TensorType> infer_slice(const OpCall& call) {
  TensorType type = call.input(0);
  const auto ranges = slice_ranges(call);
  for (std::size_t i = 0; i < ranges.size(); ++i) type.dims[i] = ranges[i].count;
  return {type};
}

/// The work of a Slice: only the elements taken are read.
Work slice_work(const OpCall& call) { return {.bytes_read = byte_size(call.outputs[0])}; }

std::vector<Tensor> evaluate_slice(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  Dims strides = dense_strides(inputs[0].dims());
  std::int64_t first = 0;
  const auto ranges = slice_ranges(call);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    first += ranges[i].start * strides[i];
    strides[i] *= ranges[i].step;
  }
  if (out.elements() > 0)
    copy_strided(inputs[0].bytes(), first, out.dims(), strides, out.mutable_bytes(),
                 byte_size(out.element()));
  return {out};
}

}  // namespace

std::vector<SliceRange> slice_ranges(const OpCall& call) {
  const Dims& dims = call.dims(0);
  const auto starts = call.known_integers(1, "the starts");
  const auto ends = call.known_integers(2, "the ends");
  std::vector<std::int64_t> all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  const auto named = list_or(call, 3, "the axes", all);
  const auto steps = list_or(call, 4, "the steps", std::vector<std::int64_t>(starts.size(), 1));
  if (ends.size() != starts.size() || named.size() != starts.size() ||
      steps.size() != starts.size())
    raise(ErrorKind::Model,
          fmt::format("Slice has {} starts, {} ends, {} axes and {} steps, expected equal numbers",
                      starts.size(), ends.size(), named.size(), steps.size()));
  const auto axes = normal_axes(call.op, named, call.rank(0));
  std::vector<SliceRange> ranges;
  for (std::int64_t length : dims) ranges.push_back({0, 1, length});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (steps[i] == 0)
      raise(ErrorKind::Model, fmt::format("Slice along axis {} has step 0", axes[i]));
    const auto axis = static_cast<std::size_t>(axes[i]);
    ranges[axis] = range_of(dims[axis], starts[i], ends[i], steps[i]);
  }
  return ranges;
}

std::vector<OpDef> slice_ops() {
  OpDef def;
  def.name = "Slice";
  def.kind = OpKind::Movement;
  def.versions = {1, 10, 11, 13};
  def.min_inputs = 3;
  def.max_inputs = 5;
  def.infer = infer_slice;
  def.work = slice_work;
  def.evaluate = evaluate_slice;
  return {def};
}

}  // namespace braid
