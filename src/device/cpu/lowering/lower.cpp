#include "device/cpu/lowering/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lowering/constant_order.h"
#include "device/cpu/lowering/join_separable.h"
#include "device/cpu/lowering/ways_alone.h"
#include "device/lowering/join.h"
#include "ops/call.h"
#include "ops/shared/axes.h"
#include "ops/shared/elements.h"
#include "plan/view.h"

namespace braid::cpu {
namespace {

/// Layouts are named with a letter for each axis.
constexpr std::size_t kMostAxes = 8;

/// Faster ways may pack this share of all constants more than these have, in sum, or this many
/// bytes if that is more: no more than other runtimes take beside the weights.
constexpr std::int64_t kShareOfExtraBytes = 5;
constexpr std::int64_t kLeastExtraBytes = std::int64_t{16} << 20;

class Lowerer {
 public:
  Lowerer(const Graph& graph, const LowerOptions& options)
      : from_(graph), options_(options), values_(graph.value_limit()) {
    std::int64_t bytes = 0;
    for (const ValueId id : graph.value_ids())
      if (graph.value(id).constant.defined()) bytes += byte_size(graph.value(id).type);
    extra_bytes_ = std::max(bytes / kShareOfExtraBytes, kLeastExtraBytes);
  }

  Graph run() {
    to_.name = from_.name;
    to_.opset = from_.opset;
    for (const ValueId id : from_.inputs())
      values_[id.at()] = to_.add_input(from_.value(id).name, from_.value(id).type);
    for (const NodeId id : from_.nodes_in_order())
      with_note([&] { return "while lowering " + describe(from_, id); }, [&] { add(id); });
    for (const GraphOutput& output : from_.outputs())
      to_.add_output(in_order(mapped(output.value), {}), output.name);
    return std::move(to_);
  }

 private:
  /// The value in the lowered graph.
  ValueId mapped(ValueId id) {
    if (!id.valid()) return {};
    ValueId& value = values_[id.at()];
    if (!value.valid()) value = to_.add_constant(from_.value(id).name, from_.value(id).constant);
    return value;
  }

  AxisOrder order_of(ValueId id) const {
    return id.valid() ? *order_named(to_.value(id).layout, to_.value(id).type.dims.size())
                      : AxisOrder{};
  }

  /// The value itself, or what a reorder makes of it.
  ValueId in_order(ValueId id, const AxisOrder& order) {
    if (same_places(to_.value(id).type.dims, order_of(id), order)) return id;
    ValueId& made = reordered_[{id, order}];
    if (made.valid()) return made;
    const Value value = to_.value(id);
    const std::string name =
        fmt::format("{}_{}", value.name, order.empty() ? "plain" : layout_name(order));
    if (value.constant.defined()) {
      made = to_.add_constant(name, cpu::in_order(value.constant, order));
      to_.set_layout(made, layout_name(order));
      return made;
    }
    return made = add_copy(id, order, name);
  }

  ValueId add_copy(ValueId id, const AxisOrder& order, const std::string& name) {
    Node node;
    node.op = "Identity";
    node.inputs = {id};
    const NodeId copy = to_.add_node(std::move(node), {to_.value(id).type}, {name});
    const ValueId made = to_.node(copy).outputs[0];
    to_.set_layout(made, layout_name(order));
    const Way way = prepare(kernel_call_of(to_, to_.node(copy)));
    to_.set_lowering(copy, {way.implementation, way.scratch_bytes, way.cuts});
    return made;
  }

  void add(NodeId id) {
    const Node& node = from_.node(id);
    if (!rejects_view(from_, id)) {
      if (keeps_elements(node)) return add_view(id, reshaped_order(node));
      if (elements_of(node) == Elements::Permuted &&
          from_.value(node.inputs[0]).type.dims.size() <= kMostAxes)
        return add_view(id, transposed_order(node));
    }
    if (const auto order = order_of_join(id)) return add_join(id, *order);
    KernelCall call{call_of(from_, node), {}, wish(node)};
    const std::optional<std::size_t> joined_along = axis_of_join(from_, node);
    call.joined = joined_along.has_value();
    for (const ValueId input : node.inputs) call.inputs.push_back(order_of(mapped(input)));
    const Way way = chosen_way(node, call);
    Node lowered = node;
    lowered.lowering = {way.implementation, way.scratch_bytes, way.cuts};
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      lowered.inputs[i] =
          node.inputs[i].valid()
              ? in_order(mapped(node.inputs[i]),
                         i < way.input_orders.size() ? way.input_orders[i] : AxisOrder{})
              : ValueId{};
    add_node(id, std::move(lowered), way.output_orders);
    if (!joined_along || !way.takes_pitch) return;
    const ValueId output = mapped(node.outputs[0]);
    if (last_axis(output) == *joined_along) pieces_.insert(output);
  }

  std::size_t last_axis(ValueId id) const {
    return whole_order(order_of(id), to_.value(id).type.dims.size()).back();
  }

  /// The order of a Concat whose inputs are written in place: those that must be copied there after
  /// all have less than half of its bytes. Nothing if it is better made as a whole.
  std::optional<AxisOrder> order_of_join(NodeId id) {
    const Node& node = from_.node(id);
    if (elements_of(node) != Elements::Joined) return std::nullopt;
    std::map<AxisOrder, std::int64_t> bytes;
    for (const ValueId input : node.inputs)
      if (const ValueId value = mapped(input); pieces_.contains(value))
        bytes[order_of(value)] += byte_size(to_.value(value).type);
    for (const auto& [order, in_place] : bytes)
      if (2 * in_place > byte_size(from_.value(node.outputs[0]).type)) return order;
    return std::nullopt;
  }

  void add_join(NodeId id, const AxisOrder& order) {
    Node joined = from_.node(id);
    const std::string& name = from_.value(joined.outputs[0]).name;
    for (std::size_t i = 0; i < joined.inputs.size(); ++i) {
      ValueId& input = joined.inputs[i];
      input = mapped(input);
      if (!pieces_.contains(input) || order_of(input) != order)
        input = add_copy(in_order(input, order), order, fmt::format("{}_{}", name, i));
    }
    joined.lowering = {std::string(kViewImplementation), 0, {}};
    add_node(id, std::move(joined), {order});
  }

  std::string name_of_output(const Node& node, std::size_t i,
                             const std::vector<AxisOrder>& orders) const {
    const ValueId output = node.outputs[i];
    if (!output.valid()) return "";
    const bool plain = i >= orders.size() || orders[i].empty();
    const std::string& name = from_.value(output).name;
    return plain || !from_.is_output(output) ? name : name + "_" + layout_name(orders[i]);
  }

  void add_node(NodeId id, Node lowered, const std::vector<AxisOrder>& orders) {
    const Node& node = from_.node(id);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      types.push_back(output.valid() ? from_.value(output).type : TensorType{});
      names.push_back(name_of_output(node, i, orders));
    }
    const NodeId added = to_.add_node(std::move(lowered), types, names);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      const ValueId value = to_.node(added).outputs[i];
      if (i < orders.size()) to_.set_layout(value, layout_name(orders[i]));
      values_[node.outputs[i].at()] = value;
    }
  }

  /// A node whose output lies in its input's bytes, which keep their order; nothing if they have to
  /// be made row-major first.
  void add_view(NodeId id, const std::optional<AxisOrder>& order) {
    Node lowered = from_.node(id);
    for (ValueId& input : lowered.inputs) input = mapped(input);
    if (!order) lowered.inputs[0] = in_order(lowered.inputs[0], {});
    lowered.lowering = {std::string(kViewImplementation), 0, {}};
    add_node(id, std::move(lowered), {order ? *order : AxisOrder{}});
  }

  std::optional<AxisOrder> reshaped_order(const Node& node) {
    const ValueId input = mapped(node.inputs[0]);
    const Dims& dims = from_.value(node.outputs[0]).type.dims;
    const AxisOrder order = order_of(input);
    if (order.empty()) return AxisOrder{};
    if (dims.size() > kMostAxes) return std::nullopt;
    const Dims strides = strides_in(to_.value(input).type.dims, order);
    Region region;
    for (std::size_t i = 0; i < strides.size(); ++i)
      region.dims.push_back({to_.value(input).type.dims[i], strides[i]});
    const auto there = reshaped(region, dims);
    if (!there) return std::nullopt;
    Dims result;
    for (const Region::Dim& dim : there->dims) result.push_back(dim.stride);
    return order_of_strides(dims, result);
  }

  AxisOrder transposed_order(const Node& node) {
    const ValueId input = mapped(node.inputs[0]);
    const std::size_t rank = to_.value(input).type.dims.size();
    const AxisOrder permutation = permutation_of(from_, node);
    AxisOrder order;
    for (const std::size_t axis : whole_order(order_of(input), rank))
      order.push_back(static_cast<std::size_t>(
          std::find(permutation.begin(), permutation.end(), axis) - permutation.begin()));
    return normal_order(std::move(order));
  }

  /// The order of a node's output from which its only reader, a Transpose, makes a row-major value.
  AxisOrder wish(const Node& node) const {
    if (node.outputs.empty() || !node.outputs[0].valid()) return {};
    const Value& value = from_.value(node.outputs[0]);
    if (from_.is_output(node.outputs[0]) || value.consumers.size() != 1) return {};
    const Node& reader = from_.node(value.consumers[0]);
    if (elements_of(reader) != Elements::Permuted || rejects_view(from_, value.consumers[0]))
      return {};
    if (value.type.dims.size() > kMostAxes) return {};
    return normal_order(permutation_of(from_, reader));
  }

  /// Whether a way gives the graph's output, which has to be row-major, in the order of an input
  /// that is much smaller and would be cheaper to reorder.
  bool enlarges_in_order(const Node& node, const KernelCall& call, const Way& way) const {
    constexpr std::int64_t much = 2;
    const ValueId output = node.outputs.empty() ? ValueId{} : node.outputs[0];
    if (!output.valid() || !from_.is_output(output) || way.output_orders.empty()) return false;
    const Value& value = from_.value(output);
    return value.consumers.empty() && !call.inputs.empty() && !call.inputs[0].empty() &&
           way.output_orders[0] == call.inputs[0] &&
           byte_size(value.type) >= much * byte_size(call.op.input(0));
  }

  /// The first way for a call, which is made row-major if that spares the output a reorder.
  Way first_way(const Node& node, KernelCall& call) const {
    Way first = prepare(call);
    if (!enlarges_in_order(node, call, first)) return first;
    KernelCall row_major = call;
    row_major.inputs[0] = {};
    Way instead = prepare(row_major);
    if (!instead.output_orders.empty() && !instead.output_orders[0].empty()) return first;
    call = std::move(row_major);
    return instead;
  }

  /// The first way, unless whoever lowers chooses another.
  Way chosen_way(const Node& node, KernelCall& call) {
    Way first = first_way(node, call);
    if (!options_.choose || !may_have_other_ways(call, first)) return first;
    const Graph alone = ways_alone(call, {&first, 1});
    const auto all = [&] { return ways_alone(call, alternatives(call, options_.exact)); };
    const std::string name = name_of_output(node, 0, first.output_orders);
    for (const std::string& chosen : options_.choose({name, alone, all})) {
      if (chosen == first.implementation) return first;
      std::optional<Way> way = way_named(chosen, call);
      if (!way || way->extra_bytes > extra_bytes_) continue;
      extra_bytes_ -= way->extra_bytes;
      return std::move(*way);
    }
    return first;
  }

  std::optional<Way> way_named(const std::string& name, const KernelCall& call) const {
    for (Way& way : alternatives(call, options_.exact))
      if (way.implementation == name) return std::move(way);
    return std::nullopt;
  }

  const Graph& from_;
  const LowerOptions& options_;
  std::int64_t extra_bytes_ = 0;  // that are left
  Graph to_;
  std::vector<ValueId> values_;
  std::map<std::pair<ValueId, AxisOrder>, ValueId> reordered_;
  std::set<ValueId> pieces_;  // written in place if a Concat along their last axis joins them
};

}  // namespace

Graph lower_nodes(const Graph& graph, const LowerOptions& options) {
  Graph lowered = Lowerer(graph, options).run();
  return options.choose ? join_separable(std::move(lowered), options.choose) : lowered;
}

}  // namespace braid::cpu
