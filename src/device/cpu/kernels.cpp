#include "device/cpu/kernels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/any_order.h"
#include "device/cpu/evaluate_kernel.h"
#include "ops/call.h"
#include "ops/chain.h"
#include "ops/kernels_cpu.h"
#include "ops/panel_product_cpu.h"

namespace braid::cpu {
namespace {

enum class Orders {
  RowMajor,  ///< the kernel takes and gives row-major values
  Any,       ///< the kernel is for row-major values, but may see others under permuted shapes
  Own        ///< the kernel says which orders it takes
};

/// The ways to run an operator, the best first. Rows of one operator are tried in order.
struct Row {
  std::string_view op;
  Orders orders;
  PrepareRowMajor prepare = nullptr;
  PrepareFunction prepare_own = nullptr;

  std::optional<Prepared> operator()(const KernelCall& call) const {
    if (orders == Orders::Own) return prepare_own(call);
    if (orders == Orders::Any) return prepare_in_any_order(call, prepare);
    return prepare(call.op);
  }
};

constexpr Row row_major(std::string_view op, PrepareRowMajor prepare) {
  return {op, Orders::RowMajor, prepare, nullptr};
}
constexpr Row any_order(std::string_view op, PrepareRowMajor prepare) {
  return {op, Orders::Any, prepare, nullptr};
}
constexpr Row own_order(std::string_view op, PrepareFunction prepare) {
  return {op, Orders::Own, nullptr, prepare};
}

/// Of every operator that could be a step of a Chain.
constexpr Row kChainRow = any_order({}, prepare_chain);

constexpr auto kRows = std::to_array<Row>({
    own_order("AveragePool", prepare_average_pool),
    own_order("BatchNormalization", prepare_batch_norm),
    any_order("Chain", prepare_chain),
    any_order("Concat", prepare_concat),
    row_major("ConcatNormalization", prepare_concat_norm),
    own_order("Conv", prepare_conv_panels),
    own_order("Conv", prepare_conv),
    any_order("Dropout", prepare_copy),
    row_major("Flatten", prepare_copy),
    row_major("Gemm", prepare_gemm),
    own_order("GlobalAveragePool", prepare_global_average_pool),
    own_order("Identity", prepare_identity),
    any_order("IsNaN", prepare_is_nan),
    row_major("LayerNormalization", prepare_layer_norm),
    any_order("LogSoftmax", prepare_log_softmax),
    own_order("MatMul", prepare_matmul),
    own_order("MaxPool", prepare_max_pool),
    own_order("Pad", prepare_pad),
    own_order("ReduceMean", prepare_spatial_mean),
    row_major("Reshape", prepare_copy),
    own_order("Slice", prepare_slice),
    any_order("Softmax", prepare_softmax),
    row_major("Squeeze", prepare_copy),
    own_order("Transpose", prepare_transpose),
    row_major("Unsqueeze", prepare_copy),
    any_order("Where", prepare_where),
});

bool has_elements(const TensorType& type) { return element_count(type) > 0; }

bool only_empty_outputs(const OpCall& call) {
  return std::none_of(call.outputs.begin(), call.outputs.end(), has_elements);
}

/// Kernels need not think about empty tensors.
bool has_empty_tensor(const OpCall& call) {
  return !std::all_of(call.outputs.begin(), call.outputs.end(), has_elements) ||
         std::any_of(call.inputs.begin(), call.inputs.end(), [](const TensorType* type) {
           return type != nullptr && !has_elements(*type);
         });
}

template <class Accept>
std::optional<Prepared> first_way(const KernelCall& call, Accept accept) {
  if (only_empty_outputs(call.op)) {
    Prepared nothing = prepare_nothing();
    return accept(nothing) ? std::optional(std::move(nothing)) : std::nullopt;
  }
  if (!has_empty_tensor(call.op))
    for (const Row& row : kRows)
      if (row.op == call.op.op)
        if (auto prepared = row(call); prepared && accept(*prepared)) return prepared;
  if (!has_empty_tensor(call.op) && !chain_steps(call.op).empty())
    if (auto prepared = kChainRow(call); prepared && accept(*prepared)) return prepared;
  auto prepared = prepare_evaluate(call.op);
  return accept(*prepared) ? std::move(prepared) : std::nullopt;
}

const AxisOrder& order_at(const std::vector<AxisOrder>& orders, std::size_t i) {
  static const AxisOrder row_major;
  return i < orders.size() ? orders[i] : row_major;
}

bool takes_inputs_as_they_are(const KernelCall& call, const Prepared& prepared) {
  for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
    if (call.op.has(i) &&
        !same_places(call.op.dims(i), order_at(call.inputs, i), order_at(prepared.input_orders, i)))
      return false;
  return true;
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

Prepared prepare(const KernelCall& call) {
  return *first_way(call, [](const Prepared&) { return true; });
}

std::vector<Prepared> every_way(const KernelCall& call) {
  std::vector<Prepared> ways;
  KernelCall asked = call;
  asked.implementation = kPanels;
  first_way(asked, [&](Prepared& way) {
    ways.push_back(std::move(way));
    return false;
  });
  if (ways.size() > 1) ways.pop_back();
  return ways;
}

std::optional<Prepared> prepare_as(const KernelCall& call, std::string_view implementation) {
  KernelCall asked = call;
  asked.implementation = implementation;
  return first_way(asked, [&](const Prepared& p) {
    return p.implementation == implementation && takes_inputs_as_they_are(call, p) &&
           same_places(call.op.outputs[0].dims, call.output, order_at(p.output_orders, 0));
  });
}

}  // namespace braid::cpu
