#include "ops/chain.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/definitions.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/expansion.h"
#include "ops/shared/step.h"

namespace braid {
namespace {

std::size_t operand_count(const OpDef& op) { return op.max_inputs == 1 ? 1 : 2; }

Attributes node_attributes(const ChainStep& step) {
  return attributes_of(*find_step(step.op).def, {step.alpha, step.beta});
}

/// The operands folded from the left.
std::vector<ChainStep> fold_steps(std::string_view op, std::size_t inputs) {
  std::vector<ChainStep> steps;
  for (std::size_t i = 1; i < inputs; ++i) {
    const auto left = static_cast<std::int64_t>(i == 1 ? 0 : inputs + i - 2);
    steps.push_back({find_step(op).def->name, {left, static_cast<std::int64_t>(i)}});
  }
  return steps;
}

std::vector<ChainStep> clip_steps(const OpCall& call) {
  std::vector<ChainStep> steps;
  std::int64_t left = 0;
  for (const std::size_t bound : {1, 2}) {
    if (!call.has(bound)) continue;
    steps.push_back({find_step(bound == 1 ? "Max" : "Min").def->name,
                     {left, static_cast<std::int64_t>(bound)}});
    left = static_cast<std::int64_t>(call.inputs.size());
  }
  return steps;
}

[[noreturn]] void refuse(const std::string& what) { raise(ErrorKind::Model, "Chain " + what); }

float at(const std::vector<float>& numbers, std::size_t i) {
  return numbers.empty() ? 0 : numbers[i];
}

std::vector<float> numbers_of(const Attributes& attributes, std::string_view name,
                              std::size_t steps) {
  if (!attributes.has(name)) return {};
  std::vector<float> numbers = attributes.reals(name);
  if (numbers.size() != steps)
    refuse(fmt::format("has {} {} for {} steps", numbers.size(), name, steps));
  return numbers;
}

std::vector<TensorType> infer_chain(const OpCall& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) call.input(i);
  common_element(call);
  read_chain(*call.attributes, call.inputs.size());
  return {{call.input(0).element, broadcast(call)}};
}

Work chain_work(const OpCall& call) {
  const auto steps = read_chain(*call.attributes, call.inputs.size()).size();
  return {.flops =
              static_cast<double>(steps) * static_cast<double>(element_count(call.outputs[0]))};
}

std::vector<Tensor> evaluate_chain(const OpCall& call, std::span<const Tensor> inputs) {
  std::vector<Tensor> values(inputs.begin(), inputs.end());
  for (const ChainStep& step : read_chain(*call.attributes, inputs.size())) {
    std::vector<Tensor> operands;
    for (const std::int64_t operand : step.operands)
      operands.push_back(values[static_cast<std::size_t>(operand)]);
    values.push_back(evaluate(find_step(step.op).op->name, node_attributes(step), operands)[0]);
  }
  return {spread(values.back(), call.outputs[0].dims)};
}

GraphEdit expand_chain(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  std::vector<ValueId> values = expansion.node().inputs;
  std::vector<TensorType> types;
  for (const ValueId value : values) types.push_back(graph.value(value).type);
  for (const ChainStep& step : read_chain(expansion.node().attributes, values.size())) {
    std::vector<ValueId> operands;
    TensorType type{expansion.type().element, {}};
    for (const std::int64_t operand : step.operands) {
      operands.push_back(values[static_cast<std::size_t>(operand)]);
      type.dims = broadcast(step.op, type.dims, types[static_cast<std::size_t>(operand)].dims);
    }
    values.push_back(expansion.add(find_step(step.op).op->name, std::move(operands),
                                   node_attributes(step), type));
    types.push_back(type);
  }
  if (types.back() == expansion.type()) return expansion.finish(values.back());
  const Dims& dims = expansion.type().dims;
  const ValueId shape =
      expansion.constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(dims.size())}, dims));
  return expansion.finish(expansion.add("Expand", {values.back(), shape}));
}

}  // namespace

std::vector<ChainStep> chain_steps(const OpCall& call) {
  if (!all_f32(call) || call.outputs.size() != 1 || call.outputs[0].element != ElementType::F32)
    return {};
  if (call.op == "Clip") return clip_steps(call);
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    if (!call.has(i)) return {};
  if (call.op == "Sum") return fold_steps("Add", call.inputs.size());
  if (call.op == "Max" || call.op == "Min") return fold_steps(call.op, call.inputs.size());
  const OpDef& op = op_def(call.op);
  const auto def = std::ranges::find_if(
      op.steps, [&](const StepDef& step) { return has_form(*call.attributes, step.form); });
  if (def == op.steps.end() || operand_count(op) != call.inputs.size()) return {};
  ChainStep step{def->name, {0}};
  if (operand_count(op) == 2) step.operands.push_back(1);
  const StepNumbers numbers = numbers_of(*def, *call.attributes);
  step.alpha = numbers.alpha;
  step.beta = numbers.beta;
  return {step};
}

std::vector<ChainStep> read_chain(const Attributes& attributes, std::size_t inputs) {
  const std::vector<std::string> ops = attributes.texts("ops");
  const std::vector<std::int64_t> operands = attributes.integers("operands");
  if (ops.empty() || ops.size() > kMostChainSteps)
    refuse(fmt::format("has {} steps, expected 1 to {}", ops.size(), kMostChainSteps));
  const std::vector<float> alphas = numbers_of(attributes, "alphas", ops.size());
  const std::vector<float> betas = numbers_of(attributes, "betas", ops.size());
  std::vector<ChainStep> steps;
  auto next = operands.begin();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const FoundStep found = find_step(ops[i]);
    if (found.def == nullptr) refuse(fmt::format("has the unknown step {}", quote(ops[i])));
    const std::size_t count = operand_count(*found.op);
    if (static_cast<std::size_t>(operands.end() - next) < count)
      refuse("has too few operands for its steps");
    ChainStep step{found.def->name, {next, next + static_cast<std::ptrdiff_t>(count)}};
    next += static_cast<std::ptrdiff_t>(count);
    for (const std::int64_t operand : step.operands)
      if (operand < 0 || operand >= static_cast<std::int64_t>(inputs + i))
        refuse(fmt::format("has operand {} in step {} of {} inputs", operand, i, inputs));
    step.alpha = at(alphas, i);
    step.beta = at(betas, i);
    steps.push_back(std::move(step));
  }
  if (next != operands.end()) refuse("has more operands than its steps take");
  return steps;
}

std::string inner_steps(const Node& node) {
  if (node.op != "Chain") return {};
  return fmt::format("{}", fmt::join(node.attributes.texts("ops"), ", "));
}

Attributes chain_attributes(const std::vector<ChainStep>& steps) {
  std::vector<std::string> ops;
  std::vector<std::int64_t> operands;
  std::vector<float> alphas;
  std::vector<float> betas;
  for (const ChainStep& step : steps) {
    ops.emplace_back(step.op);
    operands.insert(operands.end(), step.operands.begin(), step.operands.end());
    alphas.push_back(step.alpha);
    betas.push_back(step.beta);
  }
  const auto any = [](const std::vector<float>& numbers) {
    return std::ranges::any_of(numbers, [](float x) { return x != 0; });
  };
  Attributes attributes;
  attributes.set("ops", std::move(ops));
  attributes.set("operands", std::move(operands));
  if (any(alphas)) attributes.set("alphas", std::move(alphas));
  if (any(betas)) attributes.set("betas", std::move(betas));
  return attributes;
}

std::vector<OpDef> chain_ops() {
  OpDef def;
  def.name = "Chain";
  def.max_inputs = kMostChainInputs;
  def.attributes = {{"ops", AttributeKind::Texts, true},
                    {"operands", AttributeKind::Integers, true},
                    {"alphas", AttributeKind::Reals},
                    {"betas", AttributeKind::Reals}};
  def.types = set_of(ElementType::F32);
  def.infer = infer_chain;
  def.work = chain_work;
  def.evaluate = evaluate_chain;
  def.expand = expand_chain;
  def.needs_expansion = [](const Node&, int) { return true; };
  return {def};
}

}  // namespace braid
