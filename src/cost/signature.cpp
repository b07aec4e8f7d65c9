#include "cost/signature.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/text.h"
#include "graph/text.h"

namespace braid {
namespace {

constexpr std::size_t kLongest = 600;
constexpr std::size_t kKept = 400;
constexpr std::int64_t kShortList = 16;

std::string elements_of(const Tensor& constant) {
  const ElementType element = constant.element();
  const bool whole = element == ElementType::I64 || element == ElementType::I32;
  if (!whole || constant.elements() > kShortList) return {};
  std::string text;
  const Tensor readable = constant.aligned();
  const auto add = [&](auto numbers) {
    for (const auto number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  };
  if (element == ElementType::I64)
    add(readable.data<std::int64_t>());
  else
    add(readable.data<std::int32_t>());
  return "{" + text + "}";
}

std::string text_of(const Graph& graph, ValueId id) {
  if (!id.valid()) return "-";
  const Value& value = graph.value(id);
  std::string text = to_string(value.type);
  if (!value.layout.empty()) text += "<" + value.layout + ">";
  if (!graph.is_constant(id)) return text;
  return "=" + text + elements_of(value.constant);
}

std::string list_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i > 0 ? ", " : "") + text_of(graph, values[i]);
  return text;
}

std::string text_of(const Attribute& attribute) {
  const auto* tensor = std::get_if<Tensor>(&attribute);
  if (tensor == nullptr) return print(attribute);
  return to_string(tensor->type()) + "#" + to_string(hash_bytes(tensor->bytes()));
}

/// The most parts that a cut gives; 0 if it does not cut all outputs alike.
std::int64_t grains(const Graph& graph, const Node& node, const Cut& cut) {
  if (cut.axis < 0 || cut.grain <= 0 || node.outputs.empty() || !node.outputs[0].valid()) return 0;
  const auto axis = static_cast<std::size_t>(cut.axis);
  const auto length = [&](ValueId id) {
    const Dims& dims = graph.value(id).type.dims;
    return axis < dims.size() ? dims[axis] : -1;
  };
  const std::int64_t first = length(node.outputs[0]);
  for (const ValueId output : node.outputs)
    if (first < 0 || (output.valid() && length(output) != first)) return 0;
  return ceil_div(first, cut.grain);
}

}  // namespace

std::optional<Cut> cut_into(const Graph& graph, NodeId id, int parts) {
  if (parts < 2) return std::nullopt;
  for (const Cut& cut : graph.node(id).lowering.cuts)
    if (grains(graph, graph.node(id), cut) >= parts) return cut;
  return std::nullopt;
}

std::size_t most_cuts(const Graph& graph) {
  std::size_t most = 0;
  for (const NodeId id : graph.node_ids())
    most = std::max(most, graph.node(id).lowering.cuts.size());
  return most;
}

std::string signature(const Graph& graph, NodeId id, int parts) {
  const Node& node = graph.node(id);
  std::string text = node.op + "(" + list_of(graph, node.inputs) + ")";
  for (const auto& [name, value] : node.attributes) text += " " + name + "=" + text_of(value);
  text += " -> " + list_of(graph, node.outputs) + " @" + node.lowering.implementation;
  if (parts > 1) {
    const std::optional<Cut> cut = cut_into(graph, id, parts);
    text += cut ? fmt::format(" cut {}/{} in {}", cut->axis, cut->grain, parts)
                : fmt::format(" in {}", parts);
  }
  std::string safe = printable(text, std::string::npos);
  if (safe.size() <= kLongest) return safe;
  Hasher hasher;
  hasher.add(std::string_view(text));
  return printable(text, kKept) + " #" + to_string(hasher.finish());
}

}  // namespace braid
