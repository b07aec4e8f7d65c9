#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/quotas.h"

namespace braid {

/// The text form of a graph, for tests, errors and people:
///
///     graph "cell" opset=17
///     x: f32[1,8,32,32]                                  an input
///     c = Conv(x, w: f32[16,8,3,3]) pads=[1,1,1,1]       w: a constant, its elements left out
///     s = Reshape(c, shape: i64[2] = {1,-1}) @"flatten"  a constant in full; the node's name
///     y, - = Dropout(s, -, -)                            "-": an absent input or output
///     return y as "out"
///
/// Names that are not plain words stand in double quotes with \" \\ \n \xNN. "#" starts a comment.
/// Without "return" the outputs are the values that no node reads, in the order of the lines. A
/// node may state its outputs' types (`y: f32[1,2] = …`), and after lowering its layout
/// (`y <nhwc> = …`) and implementation (`… <onednn scratch=64 cut=0/1>`).
struct PrintOptions {
  bool types = false;                  ///< state every output's type
  std::int64_t elements_in_full = 16;  ///< constants with more elements are left out; -1: none is
  std::map<NodeId, std::string> comments = {};  ///< behind a node's line
};

std::string print(const Graph& graph, const PrintOptions& options = {});
/// An attribute's value as a graph's text form has it: `[1,1]`, `0.5`, `"relu"`.
std::string print(const Attribute& attribute);

/// The output types of a node whose inputs are in the graph.
using InferTypes = std::function<std::vector<TensorType>(const Graph&, const Node&)>;

/// Reads the text form. Types of outputs come from `infer`, or from the text where it is empty.
/// Constants whose elements are left out get small whole numbers that depend on their name only.
/// Throws Model with line and column, and Quota if the constants take more than `memory_bytes`.
Graph parse_graph(std::string_view text, const InferTypes& infer, const Quotas& quotas = {});

}  // namespace braid
