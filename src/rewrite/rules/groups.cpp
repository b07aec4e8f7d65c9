#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "rewrite/convolution.h"
#include "rewrite/recipe.h"
#include "rewrite/rules/rules.h"

namespace braid {
namespace {

/// A kernel that reads few channels of each group may be slower than one that reads more, most of
/// them by zeros.
constexpr std::int64_t kMostJoined = 16;

std::vector<Match> find_grouped(const Site& site) {
  const auto conv = convolution(site.graph, site.anchor);
  if (!conv || conv->is_dense()) return {};
  std::vector<Match> found;
  for (std::int64_t factor = 2; factor <= std::min(kMostJoined, conv->geometry.groups); factor *= 2)
    if (conv->geometry.groups % factor == 0)
      found.push_back({.anchor = site.anchor, .parameters = {factor}});
  return found;
}

bool join_groups(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::int64_t factor = match.parameters[0];
  EditBuilder build(graph, allowance, edit);
  ConvChange change;
  change.weights = merged_groups(conv.weights, conv.geometry.groups, factor);
  change.groups = conv.geometry.groups / factor;
  build.replace(graph.node(match.anchor).outputs[0],
                add_convolution(build, graph, conv, change, name_of(graph, match.anchor)));
  return build.affordable();
}

/// Larger weights are not read in search of zeros.
constexpr std::int64_t kLargestRead = std::int64_t{1} << 20;

/// The weights [Co, C/g, kernel...] of a convolution, read where they lie, aligned or not.
class Zeros {
 public:
  explicit Zeros(const Tensor& weights)
      : bytes_(weights.bytes()),
        channels_(weights.dims()[1]),
        taps_(weights.elements() / std::max<std::int64_t>(1, weights.dims()[0] * channels_)) {}

  /// Whether an output reads nothing of the channels [begin, end) of its group.
  bool of(std::int64_t output, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin * taps_; i < end * taps_; ++i) {
      float weight = 0;
      std::memcpy(&weight, bytes_.data() + (output * channels_ * taps_ + i) * 4, sizeof weight);
      if (weight != 0) return false;
    }
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
  std::int64_t channels_;
  std::int64_t taps_;
};

/// Whether the outputs of every group fall into `factor` parts, each of which reads its own part of
/// the channels and nothing, by zeros, of the others.
bool falls_into(const Zeros& zeros, const Dims& weights, std::int64_t groups, std::int64_t factor) {
  const std::int64_t rows = weights[0] / groups / factor;
  const std::int64_t own = weights[1] / factor;
  for (std::int64_t o = 0; o < weights[0]; ++o) {
    const std::int64_t slot = o / rows % factor;
    if (!zeros.of(o, (slot + 1) * own, weights[1]) || !zeros.of(o, 0, slot * own)) return false;
  }
  return true;
}

/// Every number of parts into which the groups fall, the largest first. Most weights are told by
/// the first output, which reads the last channel.
std::vector<Match> find_idle_weights(const Site& site) {
  if (!is_fixed_convolution(site.graph, site.anchor)) return {};
  const Tensor& weights = site.graph.value(site.node().inputs[1]).constant;
  const Dims& dims = weights.dims();
  if (weights.is_promised() || weights.element() != ElementType::F32 || dims[0] == 0 ||
      dims[1] < 2 || byte_size(weights.type()) > kLargestRead)
    return {};
  const Zeros zeros(weights);
  if (!zeros.of(0, dims[1] - 1, dims[1])) return {};
  const std::int64_t groups = groups_of(site.node());
  const std::int64_t most = std::gcd(dims[1], dims[0] / groups);
  std::vector<Match> found;
  for (std::int64_t factor = most; factor > 1; --factor)
    if (most % factor == 0 && falls_into(zeros, dims, groups, factor))
      found.push_back({.anchor = site.anchor, .parameters = {factor}});
  return found;
}

bool part_groups(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Convolution conv = *convolution(graph, match.anchor);
  const std::int64_t factor = match.parameters[0];
  EditBuilder build(graph, allowance, edit);
  ConvChange change;
  change.weights = parted_groups(conv.weights, conv.geometry.groups, factor);
  change.groups = conv.geometry.groups * factor;
  build.replace(graph.node(match.anchor).outputs[0],
                add_convolution(build, graph, conv, change, name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

SearchedRule split_groups() {
  return {{"split-groups",
           "make more, smaller groups of a convolution whose weights are zeros between them",
           {"Conv"},
           find_idle_weights,
           part_groups},
          "S4",
          "conv(x, w', g) = conv(x, w, g c), w' = w in slot floor(o g c / Co) mod c, else 0"};
}

SearchedRule merge_groups() {
  return {{"merge-groups",
           "make fewer, larger groups of a grouped convolution, filled up with zeros",
           {"Conv"},
           find_grouped,
           join_groups},
          "S4",
          "conv(x, w, g) = conv(x, w', g/c), w' = w in slot floor(o g / Co) mod c, else 0"};
}

}  // namespace braid
