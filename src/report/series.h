#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace braid {

/// Something that counts from `begin_us` to `end_us`.
struct Extent {
  double begin_us = 0;
  double end_us = 0;
  double amount = 0;
};

/// How much counts at each moment. What ends at a moment does not meet what begins then.
std::vector<TraceSeries::Point> summed(const std::vector<Extent>& extents);

enum class Thin { Mean, Most };

/// The same in at most `most` points: each stands for the mean, or the most, of an equal share of
/// the time until `end_us`. A series that is short enough stays as it is.
std::vector<TraceSeries::Point> thinned(std::vector<TraceSeries::Point> points, double end_us,
                                        std::size_t most, Thin how);

}  // namespace braid
