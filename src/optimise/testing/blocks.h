#pragma once

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "ops/builder.h"
#include "optimise/positional.h"
#include "rewrite/testing/searched.h"

/// For tests of the search: small canonical graphs in which rules match, and steps at random.

namespace braid {

/// Two rows of grouped convolutions that meet.
inline Graph grouped_block() {
  return canonical_graph(R"(
      x: f32[1,16,6,6]
      a = Conv(x, wa: f32[16,2,3,3]) group=8 pads=[1,1,1,1]
      ar = Relu(a)
      b = Conv(ar, wb: f32[16,4,3,3]) group=4 pads=[1,1,1,1]
      c = Conv(x, wc: f32[16,2,3,3]) group=8 pads=[1,1,1,1]
      d = MaxPool(c) kernel_shape=[3,3] pads=[1,1,1,1]
      y = Add(b, d)
      z = Relu(y)
      return z, d)");
}

/// Activations behind Concats of Concats' readers.
inline Graph concat_block() {
  return canonical_graph(R"(
      x: f32[1,8,6,6]
      a = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      b = AveragePool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(a, b) axis=1
      r = Relu(j)
      c = MaxPool(r) kernel_shape=[3,3] pads=[1,1,1,1]
      d = Conv(r, wd: f32[16,2,1,1]) group=8
      k = Concat(c, d, x) axis=1
      s = Sigmoid(k)
      t = Relu(k)
      y = Add(s, t)
      return y, j)");
}

/// A cell several times, one after the other: grouped convolutions, joined and activated. The names
/// of its nodes end with the number of the cell, from 1 on.
inline Graph cells(int count) {
  std::string text = "r0: f32[1,8,6,6]\n";
  for (int i = 1; i <= count; ++i)
    text += fmt::format(R"(
        a{1} = Conv(r{0}, wa{1}: f32[4,2,3,3]) group=4 pads=[1,1,1,1]
        b{1} = Conv(r{0}, wb{1}: f32[4,4,1,1]) group=2
        c{1} = MaxPool(b{1}) kernel_shape=[3,3] pads=[1,1,1,1]
        j{1} = Concat(a{1}, c{1}) axis=1
        r{1} = Relu(j{1}))",
                        i - 1, i);
  return canonical_graph(fmt::format("{}\nreturn r{}", text, count));
}
inline Graph two_cells() { return cells(2); }

/// Applies one of all matches; false if there is none that is allowed.
inline bool apply_random_match(RewrittenGraph& rewritten, std::mt19937& random) {
  std::vector<PositionalMove> moves = all_moves(rewritten.graph());
  std::ranges::shuffle(moves, random);
  return std::ranges::any_of(
      moves, [&](const PositionalMove& move) { return rewritten.apply(*move.rule, move.match); });
}

}  // namespace braid
