#include "rewrite/pattern.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "ops/builder.h"

namespace braid {
namespace {

/// The names of the variables' values if the pattern is found where `y` is made.
std::string found_in(std::string_view pattern, std::string_view text) {
  const Graph graph = parse(text);
  const auto found = Pattern(pattern).find(graph, graph.value(graph.find("y")).producer);
  if (!found) return "nothing";
  std::string names;
  for (ValueId id : *found) names += (names.empty() ? "" : " ") + graph.value(id).name;
  return names;
}

TEST(Pattern, BindsVariablesInTheOrderOfTheText) {
  EXPECT_EQ(found_in("Sub(Relu(a), b)", "x: f32[2]\nz: f32[2]\nr = Relu(z)\ny = Sub(r, x)"), "z x");
}

TEST(Pattern, AVariableIsTheSameValueWhereverItStands) {
  constexpr std::string_view kSquare = "Mul(x, Neg(x))";
  EXPECT_EQ(found_in(kSquare, "p: f32[2]\nn = Neg(p)\ny = Mul(n, p)"), "p");
  EXPECT_EQ(found_in(kSquare, "p: f32[2]\nq: f32[2]\nn = Neg(p)\ny = Mul(n, q)"), "nothing");
}

TEST(Pattern, TriesBothOrdersOfAllOperandsTogether) {
  EXPECT_EQ(found_in("Add(Add(a, b), Mul(b, Neg(a)))", R"(
    p: f32[2]
    q: f32[2]
    s = Add(q, p)
    n = Neg(p)
    m = Mul(n, q)
    y = Add(m, s)
  )"),
            "p q");
}

TEST(Pattern, AProductWithANumberMayBeADivision) {
  EXPECT_EQ(found_in("Mul(x, 0.5)", "p: f32[2]\ny = Div(p, two: f32[] = {2})"), "p");
  EXPECT_EQ(found_in("Mul(x, 0.5)", "p: f32[2]\ny = Div(two: f32[] = {2}, p)"), "nothing");
  EXPECT_EQ(found_in("Mul(x, 0.5)", "p: f32[2]\ny = Mul(half: f32[2] = {0.5,0.5}, p)"), "p");
  EXPECT_EQ(found_in("Mul(x, 0.5)", "p: f32[2]\ny = Mul(half: f32[2] = {0.5,0.6}, p)"), "nothing");
}

TEST(Pattern, WhatLiesInsideIsReadByTheFormulaAlone) {
  EXPECT_EQ(found_in("Relu(Neg(x))", "p: f32[2]\nn = Neg(p)\ny = Relu(n)"), "p");
  EXPECT_EQ(found_in("Relu(Neg(x))", "p: f32[2]\nn = Neg(p)\ny = Relu(n)\nz = Abs(n)\nreturn y, z"),
            "nothing");
  EXPECT_EQ(found_in("Relu(Neg(x))", "p: f32[2]\nn = Neg(p)\ny = Relu(n)\nreturn y, n"), "nothing");
}

TEST(Pattern, SaysWhereATextIsMalformed) {
  for (const auto& [text, expected] :
       {std::pair("Mul(x, ",
                  "pattern 'Mul(x, ' has '' at 7, expected an operator, a variable or a "
                  "number"),
        std::pair("Mul(x", "pattern 'Mul(x' has '' at 5, expected )"),
        std::pair("Relu(x) y", "pattern 'Relu(x) y' has 'y' at 8, expected the end"),
        std::pair("x", "pattern 'x' is no operation")}) {
    try {
      const Pattern pattern(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), expected);
    }
  }
}

}  // namespace
}  // namespace braid
