#pragma once

#include <string>

#include "cli/json_output.h"
#include "onnx/survey.h"

namespace braid::cli {

/// Prints what is in a model that has no graph yet: dimensions are open, or Braid refuses some of
/// it.
void print_survey(const onnx::Survey& model, const JsonOutput& json);

/// "3 operators in 57 nodes": what is refused, in few words.
std::string refusals_in_short(const std::vector<onnx::Refusal>& refusals);

}  // namespace braid::cli
