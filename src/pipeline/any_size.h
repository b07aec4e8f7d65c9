#pragma once

#include <filesystem>
#include <string>

#include "onnx/load.h"
#include "onnx/open_dimensions.h"
#include "pipeline/optimise.h"

namespace braid {

/// What an optimised model may leave open for other sizes than those it was optimised for.
struct AnySize {
  onnx::OpenDimensions open = {};  ///< of inputs and outputs; empty: all sizes are fixed
  std::string why_fixed = {};      ///< in a sentence, if the model left something open
};

/// Finds out whether what became of a model holds for every size of the dimensions that the model
/// leaves open. All rules used must hold for any size. Then the model is loaded with other sizes,
/// canonicalised and rewritten by the same moves: at all of them that it accepts, two at least, the
/// same model must come out, with the same constants; else the sizes are fixed.
AnySize open_sizes(const std::filesystem::path& model, const onnx::LoadOptions& bound,
                   const Optimised& result, const Device& device, const PipelineOptions& options);

}  // namespace braid
