#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

/// One solution of a segment, as far as choosing among them goes.
struct SegmentOption {
  double cost = 0;
  /// Assemblies whose marks add up to the same are as good as the same (operator_mark.h); the
  /// cheapest of them counts.
  std::uint64_t mark = 0;
};

/// The consecutive parts from `first` to `last`, which were optimised together, and their
/// solutions.
struct SegmentOptions {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<SegmentOption> options;
};

/// The solution that was taken for a segment.
struct SegmentChoice {
  std::size_t segment = 0;  ///< index among the segments
  std::size_t option = 0;   ///< index among its options

  auto operator<=>(const SegmentChoice&) const = default;
};

/// One solution for every part: segments that follow one another and together are all parts.
struct Assembly {
  double cost = 0;  ///< of the choices together
  std::uint64_t mark = 0;
  std::vector<SegmentChoice> choices = {};
};

/// The `most` cheapest assemblies of parts 0 to `parts` - 1, the cheapest first; of equally cheap
/// ones the one with the smaller choices. With F[j] the best for the first j parts:
///
///     F[0] = { nothing, at no cost }
///     F[j] = best of { f + b : segment (i, j), f in F[i-1], b one of its options }
std::vector<Assembly> best_assemblies(std::size_t parts,
                                      const std::vector<SegmentOptions>& segments,
                                      std::size_t most);

}  // namespace braid
