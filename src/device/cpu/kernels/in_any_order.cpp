#include "device/cpu/kernels/in_any_order.h"

#include <algorithm>
#include <memory>

#include "device/lowering/permuted_call.h"

namespace braid::cpu {
std::optional<Way> prepare_in_any_order(const KernelCall& call, PrepareRowMajor prepare) {
  const std::size_t rank = call.op.outputs[0].dims.size();
  const AxisOrder order = common_order(call.op, call.inputs, rank);
  if (order.empty()) return prepare(call.op);
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i) {
    if (!call.op.has(i) || call.op.dims(i).size() == rank) continue;
    if (call.op.dims(i).size() > rank || !same_places(with_rank(call.op.dims(i), rank), {}, order))
      return prepare(call.op);
  }
  const auto permuted_call = std::make_shared<const PermutedCall>(call.op, order);
  std::optional<Way> way = prepare(permuted_call->op);
  if (!way) return prepare(call.op);
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    way->input_orders.push_back(call.op.has(i) && call.op.dims(i).size() == rank ? order
                                                                                 : AxisOrder{});
  way->output_orders.assign(call.op.outputs.size(), order);
  for (Cut& cut : way->cuts) cut.axis = static_cast<int>(order[static_cast<std::size_t>(cut.axis)]);
  way->make = [order, permuted_call, make = std::move(way->make)](Part part) {
    const auto place =
        std::find(order.begin(), order.end(), static_cast<std::size_t>(part.cut.axis));
    part.cut.axis = static_cast<int>(place - order.begin());
    return make(part);
  };
  return way;
}

}  // namespace braid::cpu
