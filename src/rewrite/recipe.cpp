#include "rewrite/recipe.h"

#include <memory>

#include "ops/call.h"
#include "ops/cast.h"
#include "ops/catalog.h"

namespace braid {
namespace {

Tensor list(const std::vector<std::int64_t>& numbers) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(numbers.size())}, std::span(numbers));
}

TensorType result_type(std::string_view op, const std::vector<Tensor>& inputs,
                       const Attributes& attributes) {
  OpCall call;
  call.op = op;
  call.attributes = &attributes;
  for (const Tensor& input : inputs) {
    call.inputs.push_back(input.defined() ? &input.type() : nullptr);
    call.known.push_back(input.defined() ? &input : nullptr);
  }
  return infer(op_def(op), std::move(call)).at(0);
}

}  // namespace

Tensor promised_result(std::string_view op, std::vector<Tensor> inputs, Attributes attributes) {
  const TensorType type = result_type(op, inputs, attributes);
  return Tensor::promised(
      type, [op = std::string(op), inputs = std::move(inputs), attributes = std::move(attributes)] {
        return evaluate(op, attributes, inputs).at(0);
      });
}

Tensor joined(std::vector<Tensor> parts, std::int64_t axis) {
  if (parts.size() == 1) return parts[0];
  return promised_result("Concat", std::move(parts), {{"axis", axis}});
}

Tensor sliced(const Tensor& tensor, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  return promised_result("Slice", {tensor, list({begin}), list({end}), list({axis})});
}

Tensor padded(const Tensor& tensor, const Dims& before, const Dims& behind) {
  Dims pads = before;
  pads.insert(pads.end(), behind.begin(), behind.end());
  for (const std::int64_t pad : pads)
    if (pad != 0) return promised_result("Pad", {tensor, list(pads)});
  return tensor;
}

Tensor reshaped(const Tensor& tensor, const Dims& dims) {
  if (tensor.dims() == dims) return tensor;
  return promised_result("Reshape", {tensor, list(dims)});
}

Tensor transposed(const Tensor& tensor, std::vector<std::int64_t> permutation) {
  return promised_result("Transpose", {tensor}, {{"perm", std::move(permutation)}});
}

Tensor scaled(const Tensor& tensor, double factor) {
  return product(tensor, cast(Tensor::scalar(factor), tensor.element()));
}

Tensor sum(const Tensor& a, const Tensor& b) { return promised_result("Add", {a, b}); }
Tensor product(const Tensor& a, const Tensor& b) { return promised_result("Mul", {a, b}); }

namespace {

// Slot s of a new group holds what was group s of the `factor` that it is made of:
//     [g/c, s, Co/g, C/g, k] becomes [g/c, s, Co/g, 0..0 C/g 0..0, k]
Tensor with_groups_merged(const Tensor& weights, std::int64_t groups, std::int64_t factor) {
  const Dims& dims = weights.dims();
  const std::int64_t channels = dims[1];
  Dims slots = {groups / factor, factor, dims[0] / groups};
  slots.insert(slots.end(), dims.begin() + 1, dims.end());
  const Tensor by_slot = reshaped(weights, slots);
  std::vector<Tensor> rows;
  for (std::int64_t slot = 0; slot < factor; ++slot) {
    Dims before(slots.size(), 0);
    Dims behind(slots.size(), 0);
    before[3] = slot * channels;
    behind[3] = (factor - 1 - slot) * channels;
    rows.push_back(padded(sliced(by_slot, 1, slot, slot + 1), before, behind));
  }
  Dims merged = dims;
  merged[1] = channels * factor;
  return reshaped(joined(std::move(rows), 1), merged);
}

}  // namespace

// One promise: the many small ones that it is made of would take longer than the edit around it.
Tensor merged_groups(const Tensor& weights, std::int64_t groups, std::int64_t factor) {
  TensorType type = weights.type();
  type.dims[1] *= factor;
  return Tensor::promised(std::move(type),
                          [=] { return with_groups_merged(weights, groups, factor); });
}

//     [g, s, Co/g/c, C/g, k] becomes [g, s, Co/g/c, C/g/c of slot s, k]
Tensor parted_groups(const Tensor& weights, std::int64_t groups, std::int64_t factor) {
  const Dims& dims = weights.dims();
  const std::int64_t channels = dims[1] / factor;
  Dims slots = {groups, factor, dims[0] / groups / factor};
  slots.insert(slots.end(), dims.begin() + 1, dims.end());
  const Tensor by_slot = reshaped(weights, slots);
  std::vector<Tensor> rows;
  for (std::int64_t slot = 0; slot < factor; ++slot)
    rows.push_back(
        sliced(sliced(by_slot, 1, slot, slot + 1), 3, slot * channels, (slot + 1) * channels));
  Dims split = dims;
  split[1] = channels;
  return reshaped(joined(std::move(rows), 1), split);
}

}  // namespace braid
