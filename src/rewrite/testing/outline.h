#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rewrite/testing/searched.h"

/// For tests of rules that make new weights: graphs as text without the elements of constants,
/// which rewritings() proves.

namespace braid {

/// The outline of every way to apply the rule once.
inline std::vector<std::string> outlines_by(std::string_view rule, std::string_view text) {
  std::vector<std::string> all;
  for (const Rewriting& one : rewritings(rule, canonical_graph(text)))
    all.push_back(outline(one.graph));
  return all;
}

/// In how many ways the rule can be applied, each proved.
inline std::size_t count_of(std::string_view rule, std::string_view text) {
  return rewritings(rule, canonical_graph(text)).size();
}

}  // namespace braid
