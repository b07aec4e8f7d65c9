#include <algorithm>
#include <vector>

#include "device/cpu/kernels/ways.h"
#include "device/cpu/lowering/rules.h"
#include "ops/call.h"
#include "ops/cast.h"
#include "ops/shared/onnx_type.h"
#include "plan/reference.h"

namespace braid::cpu {
namespace {

bool is_half(ElementType element) {
  return element == ElementType::F16 || element == ElementType::BF16;
}

/// Makes the graph again. A value of 16 bits may be there twice: as it is, and as float32.
class Widener {
 public:
  explicit Widener(const Graph& from)
      : from_(from), plain_(from.value_limit()), wide_(from.value_limit()) {}

  Graph run() {
    to_.name = from_.name;
    to_.opset = from_.opset;
    for (const ValueId id : from_.inputs()) {
      plain_[id.at()] = to_.add_input(from_.value(id).name, from_.value(id).type);
      to_.set_level(plain_[id.at()], from_.value(id).level);
    }
    for (const NodeId id : from_.nodes_in_order()) add(from_.node(id));
    for (const GraphOutput& output : from_.outputs())
      to_.add_output(plain(output.value), output.name);
    return std::move(to_);
  }

  std::int64_t widened() const { return widened_; }

 private:
  bool is_small(ValueId id) const { return id.valid() && is_half(from_.value(id).type.element); }

  /// A Cast stays, since what it rounds is what the model asks for. An operator that has a kernel
  /// for 16 bits, as one that moves elements, is widened where its inputs are.
  bool is_to_be_widened(const Node& node) const {
    if (node.op == "Cast" || !cpu::has_kernel(node.op) ||
        std::ranges::none_of(node.inputs, [&](ValueId id) { return is_small(id); }))
      return false;
    if (std::ranges::any_of(node.inputs, [&](ValueId id) {
          return is_small(id) && wide_[id.at()].valid() && !from_.is_constant(id);
        }))
      return true;
    const KernelCall call{call_of(from_, node), std::vector<AxisOrder>(node.inputs.size()), {}};
    return prepare(call).implementation == kReferenceImplementation;
  }

  void add(const Node& node) {
    const bool widens = is_to_be_widened(node);
    if (widens) ++widened_;
    Node made = node;
    for (ValueId& input : made.inputs)
      input = widens && is_small(input) ? wide(input) : plain(input);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (const ValueId output : node.outputs) {
      types.push_back(output.valid() ? from_.value(output).type : TensorType{});
      names.push_back(output.valid() ? from_.value(output).name : std::string());
      if (!widens || !is_small(output)) continue;
      types.back().element = ElementType::F32;
      names.back() += "_f32";
    }
    const NodeId added = to_.add_node(std::move(made), types, names);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      if (!output.valid()) continue;
      (widens && is_small(output) ? wide_ : plain_)[output.at()] = to_.node(added).outputs[i];
    }
  }

  /// The value as it was; made from the wide one if that is all there is.
  ValueId plain(ValueId id) {
    if (!id.valid()) return {};
    ValueId& made = plain_[id.at()];
    const Value& value = from_.value(id);
    if (!made.valid())
      made = value.constant.defined() ? to_.add_constant(value.name, value.constant)
                                      : add_cast(wide_[id.at()], value.type.element, value.name);
    return made;
  }

  ValueId wide(ValueId id) {
    ValueId& made = wide_[id.at()];
    if (made.valid()) return made;
    const Value& value = from_.value(id);
    const std::string name = value.name + "_f32";
    return made = value.constant.defined()
                      ? to_.add_constant(name, cast(value.constant.aligned(), ElementType::F32))
                      : add_cast(plain(id), ElementType::F32, name);
  }

  ValueId add_cast(ValueId id, ElementType to, const std::string& name) {
    Node node;
    node.op = "Cast";
    node.attributes.set("to", onnx_type(to));
    node.inputs = {id};
    const NodeId added = to_.add_node(std::move(node), {{to, to_.value(id).type.dims}}, {name});
    return to_.node(added).outputs[0];
  }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> plain_;
  std::vector<ValueId> wide_;
  std::int64_t widened_ = 0;
};

/// Each constant is cast once, so that all take twice their bytes at most: the allowance is left to
/// rules that make new ones.
std::int64_t widen(Graph& graph, Allowance&) {
  const auto ids = graph.value_ids();
  if (std::ranges::none_of(ids, [&](ValueId id) { return is_half(graph.value(id).type.element); }))
    return 0;
  Widener widener(graph);
  Graph made = widener.run();
  if (widener.widened() > 0) graph = std::move(made);
  return widener.widened();
}

}  // namespace

RewriteStep widen_small_floats() {
  return {"widen-small-floats", "float16 and bfloat16 are computed in float32", widen};
}

}  // namespace braid::cpu
