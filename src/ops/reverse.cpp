#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/indices.h"

namespace braid {
namespace {

/// Whether time is the outer of the two leading axes.
bool is_time_major(const OpCall& call) {
  const std::int64_t time = call.attributes->integer("time_axis", 0);
  const std::int64_t batch = call.attributes->integer("batch_axis", 1);
  if ((time != 0 || batch != 1) && (time != 1 || batch != 0))
    raise(ErrorKind::Model,
          fmt::format(
              "time_axis={} and batch_axis={} of ReverseSequence, expected 0 and 1 or 1 and 0",
              time, batch));
  return time == 0;
}

std::vector<TensorType> infer_reverse(const OpCall& call) {
  if (call.rank(0) < 2)
    raise(ErrorKind::Model, fmt::format("ReverseSequence needs rank 2 or more, got shape {}",
                                        to_string(call.dims(0))));
  const Dims expected = {call.dims(0)[is_time_major(call) ? 1 : 0]};
  require_indices(call, 1);
  if (call.dims(1) != expected)
    raise(ErrorKind::Model, fmt::format("the lengths of ReverseSequence have shape {}, expected {}",
                                        to_string(call.dims(1)), to_string(expected)));
  return {call.input(0)};
}

std::vector<Tensor> evaluate_reverse(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const bool time_major = is_time_major(call);
  const std::int64_t times = out.dims()[time_major ? 0 : 1];
  const std::int64_t batches = out.dims()[time_major ? 1 : 0];
  const std::vector<std::int64_t> lengths = read_indices(inputs[1]);
  for (std::int64_t length : lengths)
    if (length < 0 || length > times)
      raise(ErrorKind::Model,
            fmt::format("ReverseSequence reverses {} of {} steps", length, times));
  if (out.elements() == 0) return {out};
  const std::int64_t slice = out.elements() / (times * batches) * byte_size(out.element());
  const auto offset = [&](std::int64_t time, std::int64_t batch) {
    return (time_major ? time * batches + batch : batch * times + time) * slice;
  };
  for (std::int64_t batch = 0; batch < batches; ++batch)
    for (std::int64_t time = 0; time < times; ++time) {
      const std::int64_t length = lengths[static_cast<std::size_t>(batch)];
      const std::int64_t from = time < length ? length - 1 - time : time;
      std::memcpy(out.mutable_bytes().data() + offset(time, batch),
                  inputs[0].bytes().data() + offset(from, batch), static_cast<std::size_t>(slice));
    }
  return {out};
}

}  // namespace

std::vector<OpDef> reverse_ops() {
  OpDef def;
  def.name = "ReverseSequence";
  def.versions = {10, 28};
  def.min_inputs = def.max_inputs = 2;
  def.attributes = {{"batch_axis", AttributeKind::Integer}, {"time_axis", AttributeKind::Integer}};
  def.infer = infer_reverse;
  def.evaluate = evaluate_reverse;
  return {def};
}

}  // namespace braid
