#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"

namespace braid {
namespace {

std::int64_t concat_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
}

std::vector<TensorType> infer_concat(const OpCall& call) {
  const ElementType element = common_element(call);
  const auto axis = static_cast<std::size_t>(concat_axis(call));
  Dims dims = call.dims(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    Dims other = call.dims(i);
    if (other.size() != dims.size())
      raise(ErrorKind::Model, fmt::format("Concat joins shapes {} and {}, which differ in rank",
                                          to_string(call.dims(0)), to_string(other)));
    const std::int64_t length = checked_add(dims[axis], other[axis]);
    other[axis] = dims[axis];
    if (other != dims)
      raise(ErrorKind::Model,
            fmt::format("Concat along axis {} joins shapes {} and {}, which differ elsewhere", axis,
                        to_string(call.dims(0)), to_string(call.dims(i))));
    dims[axis] = length;
  }
  return {{element, dims}};
}

std::vector<Tensor> evaluate_concat(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const std::int64_t axis = concat_axis(call);
  const std::int64_t outer = view_along(out.dims(), axis).outer;
  std::byte* to = out.mutable_bytes().data();
  for (std::int64_t block = 0; block < outer; ++block)
    for (const Tensor& in : inputs) {
      const auto size = in.bytes().size() / static_cast<std::size_t>(outer);
      if (size == 0) continue;
      std::memcpy(to, in.bytes().data() + static_cast<std::size_t>(block) * size, size);
      to += size;
    }
  return {out};
}

/// The length of each output along the axis.
std::vector<std::int64_t> part_lengths(const OpCall& call, std::int64_t length) {
  const auto parts = static_cast<std::int64_t>(call.output_count);
  std::vector<std::int64_t> lengths;
  if (call.has(1)) {
    lengths = call.known_integers(1, "the split");
    std::int64_t sum = 0;
    for (std::int64_t part : lengths) {
      if (part < 0) raise(ErrorKind::Model, fmt::format("Split makes a part of length {}", part));
      sum = checked_add(sum, part);
    }
    if (sum != length)
      raise(ErrorKind::Model,
            fmt::format("Split makes parts of {} elements from an axis of length {}", sum, length));
  } else {
    const std::int64_t asked = call.attributes->integer("num_outputs", parts);
    if (asked != parts)
      raise(ErrorKind::Model, fmt::format("Split has {} outputs and num_outputs={}", parts, asked));
    const std::int64_t each = ceil_div(length, parts);
    for (std::int64_t rest = length; std::ssize(lengths) < parts; rest -= lengths.back())
      lengths.push_back(std::min(each, rest));
  }
  if (std::ssize(lengths) != parts)
    raise(ErrorKind::Model,
          fmt::format("Split makes {} parts for {} outputs", lengths.size(), parts));
  return lengths;
}

std::vector<TensorType> infer_split(const OpCall& call) {
  const auto axis = static_cast<std::size_t>(concat_axis(call));
  std::vector<TensorType> types;
  for (std::int64_t length : part_lengths(call, call.dims(0)[axis])) {
    types.push_back(call.input(0));
    types.back().dims[axis] = length;
  }
  return types;
}

std::vector<Tensor> evaluate_split(const OpCall& call, std::span<const Tensor> inputs) {
  const std::int64_t outer = view_along(inputs[0].dims(), concat_axis(call)).outer;
  std::vector<Tensor> parts;
  for (const TensorType& type : call.outputs) parts.push_back(Tensor::uninitialised(type));
  const std::byte* from = inputs[0].bytes().data();
  for (std::int64_t block = 0; block < outer; ++block)
    for (Tensor& part : parts) {
      const auto size = part.bytes().size() / static_cast<std::size_t>(outer);
      if (size == 0) continue;
      std::memcpy(part.mutable_bytes().data() + static_cast<std::size_t>(block) * size, from, size);
      from += size;
    }
  return parts;
}

}  // namespace

std::vector<OpDef> concat_ops() {
  OpDef concat;
  concat.name = "Concat";
  concat.elements = Elements::Joined;
  concat.kind = OpKind::Movement;
  concat.versions = {1, 4, 11, 13};
  concat.max_inputs = kVariadic;
  concat.attributes = {{"axis", AttributeKind::Integer, true}};
  concat.infer = infer_concat;
  concat.evaluate = evaluate_concat;

  OpDef split;
  split.name = "Split";
  split.elements = Elements::Parted;
  split.kind = OpKind::Movement;
  split.versions = {1, 2, 11, 13, 18};
  split.max_inputs = 2;
  split.max_outputs = kVariadic;
  split.attributes = {{"axis", AttributeKind::Integer}, {"num_outputs", AttributeKind::Integer}};
  split.infer = infer_split;
  split.evaluate = evaluate_split;
  return {concat, split};
}

}  // namespace braid
