#include "ops/shared/step.h"

#include <algorithm>
#include <map>

#include "ops/catalog.h"

namespace braid {

StepNumbers numbers_of(const StepDef& step, const Attributes& attributes) {
  StepNumbers numbers;
  if (step.alpha) numbers.alpha = attributes.real("alpha", *step.alpha);
  if (step.beta) numbers.beta = attributes.real("beta", *step.beta);
  return numbers;
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
