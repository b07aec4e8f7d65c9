#pragma once

#include <optional>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "cli/output_comparison.h"

namespace braid::cli {

/// What a contender answered to the inputs that all of them got.
struct ContenderOutputs {
  std::string contender;
  std::vector<Tensor> outputs;  ///< in the order of the model
};

/// How far the answers of two contenders are apart: the output in which they are farthest.
struct PairDifference {
  std::string contender;
  std::string reference;
  std::string output;
  /// Of that output; a mismatch is what is beyond all that is tolerated.
  std::optional<OutputComparison> found = {};
  std::string why_not = {};  ///< if there is nothing to compare: the shapes or numbers of outputs

  /// The largest difference over the usual tolerance of the type; infinite if there is nothing to
  /// compare.
  double excess() const;
};

enum class Agreement {
  Agrees,     ///< within the usual tolerance: what other orders of summation explain
  Tolerated,  ///< within ten times that: what they do in the deepest networks
  Differs
};
Agreement agreement(const PairDifference& pair);
/// "agrees", "tolerated", "DIFFERS".
std::string_view name(Agreement agreement);

/// Every two contenders, the earlier as the reference.
std::vector<PairDifference> compare_pairs(const std::vector<ContenderOutputs>& contenders,
                                          const std::vector<std::string>& output_names);

/// A sentence about each pair that differs. If one contender stands alone against several that
/// agree, one sentence says so.
std::vector<std::string> difference_sentences(const std::vector<PairDifference>& pairs);

}  // namespace braid::cli
