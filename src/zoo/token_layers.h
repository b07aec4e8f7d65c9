#pragma once

#include <string>
#include <vector>

#include "zoo/layers.h"

// What encoders of text share. Values are [batch, length, width].

namespace braid::zoo {

struct HeadShape {
  std::int64_t count;
  std::int64_t width;
};

/// The gain of the layer after attention. What tokens have in common passes attention unchanged,
/// the rest is averaged: at full gain all tokens would grow alike.
inline constexpr double kAttentionGain = 0.35;

ValueId number(Layers& net, const std::string& name, double value);

/// The constant matrix of a fully connected layer `name` on x, which gives elements of size `gain`
/// for normalised ones. Its columns have the mean zero, so that what the elements of an activation
/// have in common is not added to every token.
ValueId matrix(Layers& net, const std::string& name, ValueId x, std::int64_t outputs,
               double gain = 1);

/// [batch, length, width] to [batch, heads, …] in the order `axes` of batch, length, head, width.
ValueId split_heads(Layers& net, const std::string& name, ValueId x, const HeadShape& heads,
                    std::vector<std::int64_t> axes);
/// [batch, heads, length, width of a head] to [batch, length, width].
ValueId join_heads(Layers& net, const std::string& name, ValueId x);

/// A mask [batch, length] of the tokens that count, as [batch, 1, 1, length] beside scores.
ValueId mask_of_scores(Layers& net, ValueId mask);

}  // namespace braid::zoo
