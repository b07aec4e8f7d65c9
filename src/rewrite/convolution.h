#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "graph/graph.h"
#include "ops/conv.h"
#include "rewrite/edit_builder.h"

namespace braid {

/// What an operator with an epilogue says of its activation.
inline constexpr auto kActivationAttributes =
    std::to_array<std::string_view>({"activation", "activation_alpha", "activation_beta"});

/// A Conv whose weights and bias, if it has one, are constants: what rules change.
struct Convolution {
  NodeId id;
  ConvGeometry geometry;
  ValueId input;
  Tensor weights;
  Tensor bias;       ///< undefined: none
  ValueId residual;  ///< invalid: none
  bool activated = false;

  std::int64_t kernel(std::size_t axis) const { return geometry.window.kernel[axis]; }
  bool is_dense() const { return geometry.groups == 1; }
  bool is_depthwise() const {
    return geometry.groups > 1 && geometry.groups == geometry.in_channels &&
           geometry.groups == geometry.out_channels;
  }
  /// 1x1, stride 1, no pads, one group.
  bool is_pointwise() const;
  /// The bias, or zeros promised.
  Tensor bias_or_zeros() const;
};

/// The node as a Convolution; nothing if it is none, or if its weights or bias are computed.
std::optional<Convolution> convolution(const Graph& graph, NodeId id);

/// How a convolution derived from another differs from it.
struct ConvChange {
  ValueId input = {};                    ///< invalid: the same
  Tensor weights = {};                   ///< undefined: the same
  std::optional<Tensor> bias = {};       ///< an undefined tensor: none; nothing: the same
  std::optional<ValueId> residual = {};  ///< an invalid id: none; nothing: the same
  std::int64_t groups = 0;               ///< 0: the same
  std::optional<Window> window = {};     ///< kernel, strides, dilations and pads
  bool keeps_activation = true;
};
/// Adds a Conv like that one, but for the change, with pads written out.
ValueId add_convolution(EditBuilder& build, const Graph& graph, const Convolution& from,
                        const ConvChange& change, const std::string& name);

/// The convolution's own name, or that of what it makes: what new nodes are named after.
std::string name_of(const Graph& graph, NodeId id);

/// Adds what the activation of a node with an epilogue does to a value, as a node of its own; the
/// value itself if the node has none.
ValueId add_activation(EditBuilder& build, const Node& host, ValueId value, std::string name);
/// Adds what a convolution does to its result beside the bias, as nodes of their own: the addends
/// that there are (invalid ones do not count), then its activation.
ValueId add_epilogue(EditBuilder& build, const Graph& graph, NodeId conv, ValueId result,
                     const std::vector<ValueId>& addends, const std::string& name);

// Questions that are cheap enough to ask about every node.

/// Whether the node is a Conv with constant weights and a constant bias, if it has one.
bool is_fixed_convolution(const Graph& graph, NodeId id);
std::int64_t groups_of(const Node& conv);
bool same_activation(const Node& a, const Node& b);
/// Whether an axis attribute of this node, which is there, means the channels of [N,C,spatial...].
bool is_along_channels(const Graph& graph, const Node& node);

}  // namespace braid
