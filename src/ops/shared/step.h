#pragma once

#include "ops/op.h"

namespace braid {

/// The numbers of an elementwise step; 0 where it has none.
struct StepNumbers {
  float alpha = 0;
  float beta = 0;
};
/// The numbers among the attributes of a node, or the step's defaults. They are the real attributes
/// of its operator, alpha the first and beta the second, whatever ONNX calls them.
StepNumbers numbers_of(const StepDef& step, const Attributes& attributes);
/// The attributes of a node that is this step with these numbers.
Attributes attributes_of(const StepDef& step, const StepNumbers& numbers);

/// Whether a node with these attributes is of a form (StepDef::form, ActivationDef::form).
bool has_form(const Attributes& attributes, const Attributes& form);

/// The operator as a step of a Chain under its own name, without numbers.
OpDef as_step(OpDef def);

/// The step of that name and its operator; nulls if there is none.
struct FoundStep {
  const OpDef* op = nullptr;
  const StepDef* def = nullptr;
};
FoundStep find_step(std::string_view name);

}  // namespace braid
