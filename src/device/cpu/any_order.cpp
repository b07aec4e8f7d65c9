#include "device/cpu/any_order.h"

#include <algorithm>
#include <map>
#include <memory>

#include "ops/axes.h"
#include "ops/catalog.h"

namespace braid::cpu {
namespace {

/// The shape with leading ones, `rank` axes long.
Dims with_rank(const Dims& dims, std::size_t rank) {
  Dims result(rank - dims.size(), 1);
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

AxisOrder common_order(const KernelCall& call, std::size_t rank) {
  std::map<AxisOrder, std::int64_t> bytes;
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    if (call.op.has(i) && call.op.dims(i).size() == rank &&
        !(call.inputs[i].empty() &&
          same_places(call.op.dims(i), {}, channels_last_order(std::max<std::size_t>(rank, 2)))))
      bytes[call.inputs[i]] += byte_size(call.op.input(i));
  AxisOrder best;
  std::int64_t most = 0;
  for (const auto& [order, count] : bytes)  // row-major comes first and loses a tie
    if (count >= most) {
      best = order;
      most = count;
    }
  return best;
}

/// A call whose types and attributes are its own.
struct PermutedCall {
  Attributes attributes;
  std::vector<TensorType> types;
  OpCall op;

  PermutedCall(const OpCall& call, const AxisOrder& order)
      : attributes(*call.attributes), types(call.inputs.size()), op(call) {
    const std::size_t rank = order.size();
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (!call.has(i)) continue;
      types[i] = {call.input(i).element, permuted(with_rank(call.dims(i), rank), order)};
      op.inputs[i] = &types[i];
    }
    for (TensorType& type : op.outputs) type.dims = permuted(type.dims, order);
    const std::vector<AttributeDef>& defined = op_def(call.op).attributes;
    if (const auto def = std::ranges::find(defined, "axis", &AttributeDef::name);
        def != defined.end()) {
      const std::int64_t axis = normal_axis(call.op, attributes.integer("axis", def->integer),
                                            static_cast<std::int64_t>(rank));
      const auto place = std::find(order.begin(), order.end(), static_cast<std::size_t>(axis));
      attributes.set("axis", static_cast<std::int64_t>(place - order.begin()));
    }
    op.attributes = &attributes;
  }
};

}  // namespace

std::optional<Prepared> prepare_in_any_order(const KernelCall& call, PrepareRowMajor prepare) {
  const std::size_t rank = call.op.outputs[0].dims.size();
  const AxisOrder order = common_order(call, rank);
  if (order.empty()) return prepare(call.op);
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i) {
    if (!call.op.has(i) || call.op.dims(i).size() == rank) continue;
    if (call.op.dims(i).size() > rank || !same_places(with_rank(call.op.dims(i), rank), {}, order))
      return std::nullopt;
  }
  const auto permuted_call = std::make_shared<const PermutedCall>(call.op, order);
  std::optional<Prepared> prepared = prepare(permuted_call->op);
  if (!prepared) return std::nullopt;
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    prepared->input_orders.push_back(
        call.op.has(i) && call.op.dims(i).size() == rank ? order : AxisOrder{});
  prepared->output_orders.assign(call.op.outputs.size(), order);
  for (Cut& cut : prepared->cuts)
    cut.axis = static_cast<int>(order[static_cast<std::size_t>(cut.axis)]);
  prepared->make = [order, permuted_call, make = std::move(prepared->make)](Part part) {
    const auto place =
        std::find(order.begin(), order.end(), static_cast<std::size_t>(part.cut.axis));
    part.cut.axis = static_cast<int>(place - order.begin());
    return make(part);
  };
  return prepared;
}

}  // namespace braid::cpu
