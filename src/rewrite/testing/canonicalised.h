#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/builder.h"
#include "rewrite/canonical/number_check.h"
#include "rewrite/canonicalise.h"

/// For tests of canonicalisation: graph text in, graph text out.

namespace braid {

/// Every step but this one.
inline std::vector<std::string> all_but(std::string_view kept) {
  std::vector<std::string> names;
  for (const RewriteStep& step : canonicalise_steps())
    if (step.name != kept) names.emplace_back(step.name);
  return names;
}

/// The graph after this one step, which must also leave its numbers as they were.
inline std::string rewritten(std::string_view step, std::string_view text) {
  return print(
      canonicalise(parse(text), {.disabled = all_but(step), .verify_numbers = true}).graph);
}

/// The same after all steps.
inline std::string canonical(std::string_view text) {
  return print(canonicalise(parse(text), {.verify_numbers = true}).graph);
}

/// The text as the printer would write it, to compare with.
inline std::string plain(std::string_view text) { return print(parse(text)); }

/// The same without the elements of constants: for steps that make weights, which are checked by
/// their numbers.
inline std::string plain_shape(const Graph& graph) { return print(graph, {.elements_in_full = 0}); }
inline std::string plain_shape(std::string_view text) { return plain_shape(parse(text)); }
inline std::string rewritten_shape(std::string_view step, std::string_view text) {
  return plain_shape(
      canonicalise(parse(text), {.disabled = all_but(step), .verify_numbers = true}).graph);
}

#define EXPECT_REWRITTEN(step, before, after) EXPECT_EQ(rewritten(step, before), plain(after))
#define EXPECT_SHAPE_REWRITTEN(step, before, after) \
  EXPECT_EQ(rewritten_shape(step, before), plain_shape(after))
#define EXPECT_UNCHANGED(step, text) EXPECT_EQ(rewritten(step, text), plain(text))

}  // namespace braid
