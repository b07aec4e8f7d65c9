#pragma once

#include <string>
#include <vector>

#include <braid/tensor.h>

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
  double absolute = 0;     ///< infinite if there is nothing to compare
  double relative = 0;     ///< to the reference's largest element
  std::string types = {};  ///< if they differ, both
};

enum class Agreement {
  Agrees,     ///< up to what other orders of summation explain
  Tolerated,  ///< up to what they do in the deepest networks
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
