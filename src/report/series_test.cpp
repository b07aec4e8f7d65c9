#include "report/series.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace braid {
namespace {

using Points = std::vector<TraceSeries::Point>;

double integral(const Points& points, double end_us) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += points[i].value *
           ((i + 1 < points.size() ? points[i + 1].at_us : end_us) - points[i].at_us);
  return sum;
}

double most(const Points& points) {
  return std::ranges::max(points, {}, &TraceSeries::Point::value).value;
}

TEST(Series, WhatEndsDoesNotMeetWhatBeginsThen) {
  const Points points = summed({{0, 5, 100}, {5, 9, 70}, {7, 8, 1}, {3, 3, 1000}});
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[0].value, 100);
  EXPECT_EQ(points[1].value, 70);
  EXPECT_EQ(points[2].value, 71);
  EXPECT_EQ(points[4].value, 0);
  EXPECT_EQ(most(points), 100);
}

RC_GTEST_PROP(Series, ThinningKeepsTheMeanOrTheMost, ()) {
  const auto extents = *rc::gen::container<std::vector<Extent>>(rc::gen::apply(
      [](int begin, int length, int amount) {
        return Extent{begin * 0.1, (begin + length) * 0.1, static_cast<double>(amount)};
      },
      rc::gen::inRange(0, 900), rc::gen::inRange(1, 100), rc::gen::inRange(1, 50)));
  const double end_us = 100;
  const Points all = summed(extents);
  RC_PRE(!all.empty());
  const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 40));
  const Points mean = thinned(all, end_us, size, Thin::Mean);
  const Points peaks = thinned(all, end_us, size, Thin::Most);
  RC_ASSERT(mean.size() <= std::max(size, all.size()));
  RC_ASSERT(all.size() <= size || mean.size() == size);
  RC_ASSERT(std::abs(integral(mean, end_us) - integral(all, end_us)) < 1e-6);
  RC_ASSERT(most(peaks) == most(all));
}

}  // namespace
}  // namespace braid
