#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace braid {

/// A Chain does several elementwise operations in one pass over its inputs: steps in order, each on
/// inputs and results of earlier steps, all in the shape in which the inputs meet. The last step's
/// result is the output. Devices make it when they lower a graph.
///
///     y = Chain(x, s, r) ops=["Mul","Relu","Add"] operands=[0,1,3,4,2]      y = relu(x * s) + r
///
/// Operand i below the number of inputs is that input, others are the results of steps. `alphas`
/// and `betas` hold a number for each step, where one has any.
struct ChainStep {
  std::string_view op;  ///< static text
  std::vector<std::int64_t> operands;
  float alpha = 0;
  float beta = 0;

  bool operator==(const ChainStep&) const = default;
};

inline constexpr std::size_t kMostChainInputs = 16;
inline constexpr std::size_t kMostChainSteps = 16;

/// What a node could do as part of a Chain: its steps, with its own inputs as operands. None if its
/// operator is no such step (StepDef), or not of float32.
std::vector<ChainStep> chain_steps(const OpCall& call);

/// The steps of a Chain that has `inputs` inputs. Throws Model if they are malformed.
std::vector<ChainStep> read_chain(const Attributes& attributes, std::size_t inputs);
/// "Mul, Relu, Add" for a Chain, nothing for other operators.
std::string inner_steps(const Node& node);
/// The attributes that read_chain() reads.
Attributes chain_attributes(const std::vector<ChainStep>& steps);

}  // namespace braid
