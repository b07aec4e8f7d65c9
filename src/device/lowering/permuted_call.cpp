#include "device/lowering/permuted_call.h"

#include <algorithm>
#include <map>

#include "ops/catalog.h"
#include "ops/shared/axes.h"

namespace braid {

Dims with_rank(const Dims& dims, std::size_t rank) {
  Dims result(rank - dims.size(), 1);
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

AxisOrder common_order(const OpCall& call, std::span<const AxisOrder> inputs, std::size_t rank) {
  std::map<AxisOrder, std::int64_t> bytes;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i) && call.dims(i).size() == rank &&
        !(inputs[i].empty() &&
          same_places(call.dims(i), {}, channels_last_order(std::max<std::size_t>(rank, 2)))))
      bytes[inputs[i]] += byte_size(call.input(i));
  AxisOrder best;
  std::int64_t most = 0;
  for (const auto& [order, count] : bytes)  // row-major comes first and loses a tie
    if (count >= most) {
      best = order;
      most = count;
    }
  return best;
}

PermutedCall::PermutedCall(const OpCall& call, const AxisOrder& order)
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

}  // namespace braid
