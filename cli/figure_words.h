#pragma once

#include <string_view>

/// What the figures of a graph and its Plan are, in the words that stand beside them: the same ones
/// in every command that prints them.

namespace braid::cli {

inline constexpr std::string_view kPredictedMeans =
    "when the last operator of the Plan ends, as the model of the device has it";
inline constexpr std::string_view kCriticalPathMeans =
    "operators that need one another cannot overlap, however fast each is alone";
inline constexpr std::string_view kWorkMeans = "the device does no arithmetic faster";
inline constexpr std::string_view kBandwidthMeans = "the memory gives no byte faster";
inline constexpr std::string_view kSumMeans = "all operators one after another, none cut";

}  // namespace braid::cli
