#include "sim/ios_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/text.h"

namespace braid::sim {
namespace {

std::vector<Kernel> kernels_of_text(const GpuSpec& gpu, const std::string& text) {
  const Graph graph = parse_graph(text, {});
  return kernels_of(gpu, graph, graph.node_ids().front(), ios_library());
}

std::string type_text(const Dims& dims) { return fmt::format("f32[{}]", fmt::join(dims, ",")); }

/// cudnnAddTensor, in place.
IosCall add_bias(const GpuSpec& gpu, const Dims& dims) {
  return {kernels_of_text(gpu, fmt::format("x: {0}\ny: {0} = Add(x, b: f32[{1},1,1])",
                                           type_text(dims), dims[1])),
          true};
}

bool adds_bias_apart(const Node& node) {
  return node.inputs.size() > 2 && node.inputs[2].valid() && !node.attributes.has("activation");
}

}  // namespace

KernelOptions ios_library() {
  KernelOptions options;
  options.library = ConvLibrary::CuDnn7;
  return options;
}

IosCall ios_copy(const GpuSpec& gpu, const Dims& dims) {
  return {kernels_of_text(gpu, fmt::format("x: {0}\ny: {0} = Concat(x) axis=1", type_text(dims))),
          false};
}

IosCall ios_sum(const GpuSpec& gpu, const Dims& dims, std::size_t values) {
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values; ++i) {
    names.push_back(fmt::format("x{}", i));
    text += fmt::format("{}: {}\n", names.back(), type_text(dims));
  }
  text += fmt::format("y: {} = Sum({})", type_text(dims), fmt::join(names, ", "));
  return {kernels_of_text(gpu, text), false};
}

IosUnit ios_calls(const GpuSpec& gpu, const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  IosUnit unit;
  if (node.op == "Concat") {
    for (ValueId input : node.inputs) unit.push_back(ios_copy(gpu, graph.value(input).type.dims));
    return unit;
  }
  std::vector<Kernel> kernels = kernels_of(gpu, graph, id, ios_library());
  if (kernels.empty()) return unit;
  unit.push_back({std::move(kernels), node.op != "Add" && node.op != "Sum"});
  if (node.op == "Conv" && adds_bias_apart(node))
    unit.push_back(add_bias(gpu, graph.value(node.outputs[0]).type.dims));
  return unit;
}

}  // namespace braid::sim
