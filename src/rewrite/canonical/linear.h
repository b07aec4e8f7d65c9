#pragma once

#include <string>
#include <vector>

#include "graph/edit.h"
#include "graph/query.h"
#include "rewrite/canonicalise.h"

namespace braid {

/// The map y = scale * x + shift, for each channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;

  /// The affine of `count` channels, from channel `from` on.
  Affine slice(std::size_t from, std::size_t count) const;
};

/// What a BatchNormalization does to each channel; nothing if its statistics are not constants of
/// the model, or not numbers that can be folded.
std::optional<Affine> affine_of_norm(const Graph& graph, const Node& norm);

/// How a weight tensor holds the channels of the output: element
/// [group][repeat][channel][inner] belongs to channel `group * channels + channel`.
struct ChannelLayout {
  std::int64_t groups = 1;
  std::int64_t repeats = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;
};

/// A Conv, ConvTranspose, Gemm or MatMul that can take an Affine of its output channels into its
/// constant weights, because no other node reads its result and nothing was done to it yet.
struct Linear {
  NodeId id;
  ChannelLayout layout;
  std::vector<double> bias;  ///< of each channel
};

/// Which axis of a Linear's result an Affine counts as channels. Both are the same in a matrix.
enum class ChannelAxis { Second, Last };

/// The producer of `value` as a Linear; nothing if it is not one, or if its elements are too coarse
/// to multiply weights without harm (only f32 and f64 are fine enough).
std::optional<Linear> linear_producer(const Graph& graph, ValueId value,
                                      ChannelAxis channels = ChannelAxis::Second);

/// Adds the operator with weights that do what the affine did. The arithmetic is in double. A
/// weight that other nodes read stays for them, so its copy must be allowed; nothing if it is not.
std::optional<ValueId> add_folded(GraphEdit& edit, const Graph& graph, const Linear& linear,
                                  const Affine& affine, const std::string& name,
                                  Allowance& allowance);

/// The elements of a tensor of any type.
std::vector<double> doubles(const Tensor& tensor);
/// A vector of these numbers, rounded to the element type.
Tensor vector_of(ElementType element, const std::vector<double>& list);

}  // namespace braid
