#include "device/cpu/kernels/ways.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/kernels/evaluate_kernel.h"
#include "device/cpu/kernels/in_any_order.h"
#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/winograd.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/chain.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// The row of every operator that could be a step of a Chain.
constexpr KernelRow kChainRow = any_order({}, prepare_chain);

std::optional<Way> way_of(const KernelRow& row, const KernelCall& call) {
  if (row.orders == KernelOrders::Own) return row.prepare_own(call);
  if (row.orders == KernelOrders::Any) return prepare_in_any_order(call, row.prepare);
  return row.prepare(call.op);
}

bool has_elements(const TensorType& type) { return element_count(type) > 0; }

bool only_empty_outputs(const OpCall& call) {
  return std::none_of(call.outputs.begin(), call.outputs.end(), has_elements);
}

/// Whether a tensor of the call is empty: kernels need not think about those.
bool has_empty_tensor(const OpCall& call) {
  return !std::all_of(call.outputs.begin(), call.outputs.end(), has_elements) ||
         std::any_of(call.inputs.begin(), call.inputs.end(), [](const TensorType* type) {
           return type != nullptr && !has_elements(*type);
         });
}

template <class Accept>
std::optional<Way> first_way(const KernelCall& call, Accept accept) {
  if (only_empty_outputs(call.op)) {
    Way nothing = prepare_nothing();
    return accept(nothing) ? std::optional(std::move(nothing)) : std::nullopt;
  }
  if (!has_empty_tensor(call.op))
    for (const KernelRow& row : kKernelRows)
      if (row.op == call.op.op)
        if (auto way = way_of(row, call); way && accept(*way)) return way;
  if (!has_empty_tensor(call.op) && !chain_steps(call.op).empty())
    if (auto way = way_of(kChainRow, call); way && accept(*way)) return way;
  auto way = prepare_evaluate(call.op);
  return accept(*way) ? std::move(way) : std::nullopt;
}

const AxisOrder& order_at(const std::vector<AxisOrder>& orders, std::size_t i) {
  static const AxisOrder row_major;
  return i < orders.size() ? orders[i] : row_major;
}

bool takes_inputs_as_they_are(const KernelCall& call, const Way& way) {
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    if (call.op.has(i) &&
        !same_places(call.op.dims(i), order_at(call.inputs, i), order_at(way.input_orders, i)))
      return false;
  return true;
}

bool has_orders_of(const OpCall& call, const Way& way, const Way& other) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i) &&
        !same_places(call.dims(i), order_at(way.input_orders, i), order_at(other.input_orders, i)))
      return false;
  return same_places(call.outputs[0].dims, order_at(way.output_orders, 0),
                     order_at(other.output_orders, 0));
}

}  // namespace

KernelCall kernel_call_of(const Graph& lowered, const Node& node) {
  const auto order_of = [&](ValueId id) {
    if (!id.valid()) return AxisOrder{};
    const Value& value = lowered.value(id);
    const auto order = order_named(value.layout, value.type.dims.size());
    if (!order)
      raise(ErrorKind::Unsupported, fmt::format("cpu does not know the layout {} of value {}",
                                                quote(value.layout), quote(value.name)));
    return *order;
  };
  KernelCall call{call_of(lowered, node), {}, {}};
  for (const ValueId id : node.inputs) call.inputs.push_back(order_of(id));
  if (!node.outputs.empty()) call.output = order_of(node.outputs[0]);
  return call;
}

Way prepare(const KernelCall& call) {
  return *first_way(call, [](const Way&) { return true; });
}

std::vector<Way> every_way(const KernelCall& call) {
  std::vector<Way> ways;
  KernelCall asked = call;
  asked.implementation = kEveryWay;
  first_way(asked, [&](Way& way) {
    ways.push_back(std::move(way));
    return false;
  });
  if (ways.size() > 1) ways.pop_back();
  return ways;
}

bool may_have_other_ways(const KernelCall& call, const Way& first) {
  static constexpr std::array kOps = {"Conv", "Gemm", "MatMul"};
  return std::ranges::count(kOps, call.op.op) > 0 && call.op.known[1] != nullptr &&
         !first.packed_inputs.empty();
}

std::vector<Way> alternatives(const KernelCall& call, bool exact) {
  std::vector<Way> ways;
  ways.push_back(prepare(call));
  for (Way& way : every_way(call)) {
    const bool is_other = std::ranges::none_of(
        ways, [&](const Way& w) { return w.implementation == way.implementation; });
    if (is_other && (!exact || is_exact(way.implementation)) &&
        has_orders_of(call.op, way, ways.front()))
      ways.push_back(std::move(way));
  }
  return ways;
}

bool has_kernel(std::string_view op) {
  // Steps of a Chain that are not called as these are, and what rules write as other operators.
  constexpr auto others =
      std::to_array<std::string_view>({"Attention", "Clip", "ConvTranspose", "Einsum", "Sum"});
  const OpDef& def = op_def(op);
  return !def.steps.empty() || def.elements != Elements::Computed ||
         std::ranges::find(others, op) != others.end() ||
         std::ranges::any_of(kKernelRows, [&](const KernelRow& row) { return row.op == op; });
}

ElementSet kernel_types(std::string_view op) {
  constexpr auto movers =
      std::to_array<std::string_view>({"DepthToSpace", "Dropout", "Expand", "Gather", "Pad",
                                       "Slice", "SpaceToDepth", "Tile", "Where"});
  constexpr auto with_integers = std::to_array<std::string_view>(
      {"Add", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mul", "Sub"});
  constexpr auto logic = std::to_array<std::string_view>({"And", "Not", "Or", "Xor"});
  const auto is_in = [op](const auto& list) { return std::ranges::find(list, op) != list.end(); };
  if (!has_kernel(op)) return 0;
  const OpDef& def = op_def(op);
  // float16 and bfloat16 become float32 (lowering/widen_small_floats.cpp).
  ElementSet types = ElementType::F32 | ElementType::F16 | ElementType::BF16;
  if (def.elements != Elements::Computed || is_in(movers)) types = kAnyElement;
  if (is_in(with_integers)) types = types | ElementType::I32 | ElementType::I64;
  if (is_in(logic)) types = set_of(ElementType::Bool);
  if (op == "Cast")
    types = types | ElementType::F64 | ElementType::I32 | ElementType::I64 | ElementType::U8 |
            ElementType::Bool;
  return types & def.types;
}

bool is_exact(std::string_view implementation) {
  return implementation != kStrassen && implementation != kWinograd2 &&
         implementation != kWinograd4;
}

std::optional<Way> prepare_as(const KernelCall& call, std::string_view implementation) {
  KernelCall asked = call;
  asked.implementation = implementation;
  return first_way(asked, [&](const Way& p) {
    return p.implementation == implementation && takes_inputs_as_they_are(call, p) &&
           same_places(call.op.outputs[0].dims, call.output, order_at(p.output_orders, 0));
  });
}

}  // namespace braid::cpu
