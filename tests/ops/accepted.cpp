#include "tests/ops/accepted.h"

#include <map>

#include "base/error.h"
#include "graph/text.h"
#include "ops/catalog.h"

namespace braid {

const Generator* find_generator(std::string_view op) {
  static const auto* const all = [] {
    auto* map = new std::map<std::string_view, Generator>;
    for (const auto family : kGeneratorFamilies)
      for (const Generator& generator : family()) map->emplace(generator.op, generator);
    return map;
  }();
  const auto found = all->find(op);
  return found != all->end() ? &found->second : nullptr;
}

std::optional<Accepted> accepted(const Generator& generator, int index, bool infinities) {
  try {
    Case c = draw_case(generator, index, infinities);
    std::vector<TensorType> types = infer(op_def(c.op), call_of(c, true));
    const bool whole = Draw(generator.op, index, infinities).whole();
    return Accepted{index, whole, std::move(c), std::move(types)};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
    return std::nullopt;
  }
}

double tolerance_of(const Generator& generator, const Accepted& draw, ElementType element) {
  if (generator.exactness == Exactness::Always ||
      (generator.exactness == Exactness::OnWhole && draw.whole))
    return 0;
  switch (element) {
    case ElementType::F16:
      return 2e-3;
    case ElementType::BF16:
      return 2e-2;
    default:
      return 1e-5;
  }
}

OpCall call_of(const Case& c, bool known) {
  OpCall call;
  call.op = c.op;
  call.attributes = &c.attributes;
  call.output_count = c.outputs;
  for (const Tensor& input : c.inputs) {
    call.inputs.push_back(input.defined() ? &input.type() : nullptr);
    call.known.push_back(known && input.defined() ? &input : nullptr);
  }
  return call;
}

std::string text_of(const Case& c) {
  Graph graph;
  Node node;
  node.op = c.op;
  node.attributes = c.attributes;
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    node.inputs.push_back(c.inputs[i].defined()
                              ? graph.add_constant("x" + std::to_string(i), c.inputs[i])
                              : ValueId());
  graph.add_node(std::move(node), std::vector<TensorType>(c.outputs));
  return print(graph, {.elements_in_full = 64});
}

}  // namespace braid
