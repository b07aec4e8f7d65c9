#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cli/json_output.h"
#include "onnx/survey.h"

namespace braid::cli {

/// How often each operator is used, the most frequent first.
std::string counts_table(const std::map<std::string, std::int64_t>& counts);

/// Prints what is in a model that has no graph yet: dimensions are open, or Braid refuses some of
/// it.
void print_survey(const onnx::Survey& model, const JsonOutput& json);

/// "Loop, NonZero and 2 more": what is refused, in few words.
std::string refusals_in_short(const std::vector<onnx::Refusal>& refusals);

}  // namespace braid::cli
