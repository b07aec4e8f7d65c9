#include "ops/shared/step.h"

#include <algorithm>
#include <map>

#include "ops/catalog.h"

namespace braid {

namespace {

/// What the operator of a step calls its alpha (0) or beta (1), which it has.
std::string_view name_of_number(const StepDef& step, std::size_t i) {
  for (const AttributeDef& attribute : find_step(step.name).op->attributes)
    if (attribute.kind == AttributeKind::Real && i-- == 0) return attribute.name;
  raise(ErrorKind::Internal, "a step has more numbers than its operator");
}

}  // namespace

StepNumbers numbers_of(const StepDef& step, const Attributes& attributes) {
  StepNumbers numbers;
  if (step.alpha) numbers.alpha = attributes.real(name_of_number(step, 0), *step.alpha);
  if (step.beta) numbers.beta = attributes.real(name_of_number(step, 1), *step.beta);
  return numbers;
}

Attributes attributes_of(const StepDef& step, const StepNumbers& numbers) {
  Attributes attributes = step.form;
  if (step.alpha) attributes.set(name_of_number(step, 0), numbers.alpha);
  if (step.beta) attributes.set(name_of_number(step, 1), numbers.beta);
  return attributes;
}

bool has_form(const Attributes& attributes, const Attributes& form) {
  return std::ranges::all_of(form, [&](const auto& entry) {
    const auto* own = attributes.find(entry.first);
    return own != nullptr && *own == entry.second;
  });
}

OpDef as_step(OpDef def) {
  def.steps = {{def.name}};
  return def;
}

FoundStep find_step(std::string_view name) {
  static const auto steps = [] {
    std::map<std::string_view, FoundStep> all;
    for (const OpDef& op : catalog())
      for (const StepDef& step : op.steps) all[step.name] = {&op, &step};
    return all;
  }();
  const auto found = steps.find(name);
  return found == steps.end() ? FoundStep{} : found->second;
}

}  // namespace braid
