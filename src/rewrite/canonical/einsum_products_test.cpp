#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

constexpr auto kEinsumProducts = "einsum-products";

TEST(EinsumProducts, MovesAxesOnlyWhereItMust) {
  EXPECT_REWRITTEN(kEinsumProducts, R"(
    a: f32[2,3,4]
    b: f32[2,4,5]
    y = Einsum(a, b) equation="bij,bjk->bik"
  )",
                   R"(
    a: f32[2,3,4]
    b: f32[2,4,5]
    y = MatMul(a, b)
  )");
  EXPECT_REWRITTEN(kEinsumProducts, R"(
    q: f32[1,5,3,4]
    k: f32[1,6,3,4]
    y = Einsum(q, k) equation="bqhd,bkhd->bhqk"
  )",
                   R"(
    q: f32[1,5,3,4]
    k: f32[1,6,3,4]
    Transpose = Transpose(q) perm=[0,2,1,3]
    Transpose_1 = Transpose(k) perm=[0,2,3,1]
    y = MatMul(Transpose, Transpose_1)
  )");
}

TEST(EinsumProducts, JoinsLabelsOfOneKind) {
  EXPECT_REWRITTEN(kEinsumProducts, R"(
    x: f32[2,5,3,4]
    w: f32[3,4,7]
    y = Einsum(x, w) equation="bthd,hdm->btm"
  )",
                   R"(
    x: f32[2,5,3,4]
    w: f32[3,4,7]
    Reshape = Reshape(x, shape: i64[2] = {10,12})
    Reshape_1 = Reshape(w, shape_1: i64[2] = {12,7})
    MatMul = MatMul(Reshape, Reshape_1)
    y = Reshape(MatMul, shape_2: i64[3] = {2,5,7})
  )");
}

TEST(EinsumProducts, PutsWeightsOnTheRight) {
  EXPECT_REWRITTEN(kEinsumProducts, R"(
    x: f32[2,3]
    y = Einsum(w: f32[4,3], x) equation="oi,bi->bo"
  )",
                   R"(
    x: f32[2,3]
    Transpose = Transpose(w: f32[4,3]) perm=[1,0]
    y = MatMul(x, Transpose)
  )");
}

TEST(EinsumProducts, MultipliesWhereNothingIsSummed) {
  EXPECT_REWRITTEN(kEinsumProducts, R"(
    a: f32[3]
    b: f32[4]
    y = Einsum(a, b) equation="i,j->ij"
  )",
                   R"(
    a: f32[3]
    b: f32[4]
    Reshape = Reshape(a, shape: i64[2] = {3,1})
    Reshape_1 = Reshape(b, shape_1: i64[2] = {1,4})
    y = Mul(Reshape, Reshape_1)
  )");
}

/// The numbers of equations that need more than a row of text to follow.
TEST(EinsumProducts, KeepsTheNumbers) {
  struct Row {
    const char* a;
    const char* b;
    const char* equation;
  };
  for (const Row& row : std::vector<Row>{{"2,3,5,6", "2,6,3,4", "bhqk,bkhd->bqhd"},
                                         {"5,3", "4,5,2", "qk,dqh->kdh"},
                                         {"5,3", "4,5,2", "qk,dqh->hdk"},
                                         {"2,1,3", "2,3,4", "...ij,...jk"},
                                         {"1,2,3", "5,3,4", "...ij,...jk->...ik"},
                                         {"3,2", "3,2", "ij,ij->"},
                                         {"3,2", "3,2", "ij,ij->ji"},
                                         {"3,1", "3", "ij,i->i"},
                                         {"", "3", ",i->i"},
                                         {"2,3,4,5,6", "2,3,7,6", "bkgqd,bksd->bkgqs"}}) {
    const std::string text = std::string("a: f32[") + row.a + "]\n b: f32[" + row.b +
                             "]\n y = Einsum(a, b) equation=\"" + row.equation + "\"";
    EXPECT_EQ(rewritten(kEinsumProducts, text).find("Einsum"), std::string::npos) << row.equation;
  }
}

TEST(EinsumProducts, LeavesOthersAlone) {
  EXPECT_UNCHANGED(kEinsumProducts,
                   "a: f32[3,3]\n b: f32[3]\n y = Einsum(a, b) equation=\"ii,i->i\"");
  EXPECT_UNCHANGED(kEinsumProducts,
                   "a: f32[3,2]\n b: f32[3]\n y = Einsum(a, b) equation=\"ij,i->i\"");
  EXPECT_UNCHANGED(kEinsumProducts,
                   "a: f32[3,1]\n b: f32[3,2]\n y = Einsum(a, b) equation=\"ij,ij->i\"");
  EXPECT_UNCHANGED(kEinsumProducts, "a: f32[3,2]\n y = Einsum(a) equation=\"ij->ji\"");
  EXPECT_UNCHANGED(kEinsumProducts, "a: f64[3,2]\n b: f64[2]\n y = Einsum(a, b) equation=\"ij,j\"");
  EXPECT_UNCHANGED(kEinsumProducts, "a: f32[3,0]\n b: f32[0]\n y = Einsum(a, b) equation=\"ij,j\"");
}

}  // namespace
}  // namespace braid
