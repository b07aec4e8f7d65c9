#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ops/conv.h"

namespace braid::sim {

/// A way to run a convolution that a vendor library has.
struct ConvChoice {
  /// A kernel family of the GPU, or "winograd_in_steps", or "tf32" for tensor cores, whose tile is
  /// left to us.
  std::string kernels;
  // Tensors that are copied into another layout: the output after the convolution, others before.
  bool changes_input = false;
  bool changes_weights = false;
  bool changes_output = false;
};

/// What cuDNN's heuristics offer for convolutions, read from a file that tools/ask-cudnn wrote; the
/// form is in docs/gpu-model.md.
struct ConvAnswers {
  std::string library;  ///< "9.26.0"
  /// The choices for each conv_key(), best first as the library thinks.
  std::map<std::string, std::vector<ConvChoice>, std::less<>> convolutions;
};

/// "1x3x224x224 64x3x7x7 pads=3,3,3,3 strides=2,2 dilations=1,1".
std::string conv_key(const ConvGeometry& geometry);

/// A family's name, then "+" and those of x (input), w (weights) and y (output) that change their
/// layout: "tf32+xwy". Throws Model.
ConvChoice parse_conv_choice(std::string_view text);

/// Throws Model with the place; `origin` is the file's name for messages.
ConvAnswers parse_conv_answers(std::string_view text, std::string_view origin);

}  // namespace braid::sim
