#include "products.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/text.h"
#include "measure/wanted.h"
#include "onnx/load.h"
#include "ops/call.h"
#include "pipeline/stages.h"
#include "zoo/zoo.h"

namespace braid::kernels_bench {
namespace {

Graph read(const std::string& model, const Choice& choice) {
  if (!std::filesystem::is_regular_file(model))
    return zoo::build(model, {.batch = std::max<std::int64_t>(choice.batch, 1)});
  onnx::LoadOptions options;
  options.batch = choice.batch;
  options.dims = choice.dims;
  return onnx::load(model, options);
}

bool is_product(const Graph& graph, const Node& node) {
  if (node.op != "Conv" && node.op != "Gemm" && node.op != "MatMul") return false;
  return node.inputs.size() > 1 && node.inputs[1].valid() && graph.is_constant(node.inputs[1]);
}

/// An attribute that says what is so without it.
bool says_nothing(std::string_view name, const Attribute& value) {
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value);
  const auto all = [&](std::int64_t number) {
    return numbers != nullptr &&
           std::ranges::all_of(*numbers, [&](std::int64_t n) { return n == number; });
  };
  const auto* number = std::get_if<std::int64_t>(&value);
  return name == "kernel_shape" || ((name == "strides" || name == "dilations") && all(1)) ||
         (name == "pads" && all(0)) || (name == "group" && number != nullptr && *number == 1);
}

std::string text_of(const Graph& graph, const Node& node) {
  std::string text = node.op;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid()) continue;
    const std::string dims =
        fmt::format("{}", fmt::join(graph.value(node.inputs[i]).type.dims, "x"));
    text += i == 2 ? " + " + dims : " " + dims;
  }
  for (const auto& [name, value] : node.attributes)
    if (!says_nothing(name, value)) text += fmt::format(" {}={}", name, print(value));
  return text;
}

std::regex expression(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    raise(ErrorKind::Usage, fmt::format("--only: {} is no regular expression", quote(text)));
  }
}

}  // namespace

Products products_of(const Choice& choice, const Device& cpu) {
  const std::regex wanted = expression(choice.only);
  Products products;
  std::map<std::string, std::size_t> known;
  for (const std::string& model : choice.models) {
    const Canonical from = canonical(read(model, choice), cpu, {});
    const Graph lowered = cpu.lower(from.graph, cpu.modelled_costs());
    products.between_bytes = std::max(products.between_bytes, bytes_between_uses(lowered));
    for (const NodeId id : lowered.nodes_in_order()) {
      const Node& node = lowered.node(id);
      if (!is_product(lowered, node)) continue;
      std::string text = text_of(lowered, node);
      if (!std::regex_search(text, wanted)) continue;
      const auto [at, is_new] = known.emplace(text, products.all.size());
      if (is_new)
        products.all.push_back({std::move(text),
                                std::make_shared<const OneNode>(one_node(lowered, id)),
                                work(lowered, id).flops,
                                {},
                                {}});
      Product& product = products.all[at->second];
      ++product.uses[model];
      product.taken.insert(node.lowering.implementation);
    }
  }
  if (products.all.empty())
    raise(ErrorKind::Usage, "no convolution or product of the models is as --only says");
  return products;
}

}  // namespace braid::kernels_bench
