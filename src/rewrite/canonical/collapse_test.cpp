#include "rewrite/testing/canonicalised.h"

namespace braid {
namespace {

TEST(CollapseReshapes, MakesOneOutOfMany) {
  EXPECT_REWRITTEN("collapse-reshapes", R"(
    x: f32[2,3,4]
    a = Flatten(x) axis=2
    b = Unsqueeze(a, axes: i64[1] = {0})
    c = Reshape(b, shape: i64[3] = {4,3,2})
    y = Relu(c)
  )",
                   R"(
    x: f32[2,3,4]
    c = Reshape(x, "c/shape": i64[3] = {4,3,2})
    y = Relu(c)
  )");
}

TEST(CollapseReshapes, CancelsWhatRestoresTheShape) {
  EXPECT_REWRITTEN("collapse-reshapes", R"(
    x: f32[2,3]
    a = Unsqueeze(x, axes: i64[1] = {1})
    b = Squeeze(a, axes)
    y = Relu(b)
  )",
                   R"(
    x: f32[2,3]
    y = Relu(x)
  )");
}

TEST(CollapseReshapes, KeepsAReshapeThatOthersRead) {
  EXPECT_REWRITTEN("collapse-reshapes", R"(
    x: f32[2,3]
    a = Flatten(x) axis=0
    b = Reshape(a, shape: i64[2] = {3,2})
    y = Relu(a)
    return y, b
  )",
                   R"(
    x: f32[2,3]
    a = Flatten(x) axis=0
    y = Relu(a)
    b = Reshape(x, "b/shape": i64[2] = {3,2})
    return y, b
  )");
}

TEST(CollapseReshapes, TreatsATransposeOfUnitAxesAsAReshape) {
  EXPECT_REWRITTEN("collapse-reshapes", R"(
    x: f32[1,3,1,4]
    a = Transpose(x) perm=[1,0,3,2]
    b = Squeeze(a, axes: i64[2] = {1,3})
    y = Relu(b)
  )",
                   R"(
    x: f32[1,3,1,4]
    b = Reshape(x, "b/shape": i64[2] = {3,4})
    y = Relu(b)
  )");
}

TEST(CollapseReshapes, WritesEmptyDimensions) {
  EXPECT_REWRITTEN("collapse-reshapes", R"(
    x: f32[0,3]
    a = Unsqueeze(x, axes: i64[1] = {0})
    b = Reshape(a, shape: i64[2] = {5,0}) allowzero=1
    y = Relu(b)
  )",
                   R"(
    x: f32[0,3]
    b = Reshape(x, "b/shape": i64[2] = {5,0}) allowzero=1
    y = Relu(b)
  )");
}

TEST(CollapseTransposes, CancelsInverses) {
  EXPECT_REWRITTEN("collapse-transposes", R"(
    x: f32[2,3,4]
    a = Transpose(x) perm=[1,2,0]
    b = Transpose(a) perm=[2,0,1]
    y = Relu(b)
  )",
                   R"(
    x: f32[2,3,4]
    y = Relu(x)
  )");
}

TEST(CollapseTransposes, Composes) {
  EXPECT_REWRITTEN("collapse-transposes", R"(
    x: f32[2,3,4]
    a = Transpose(x) perm=[1,2,0]
    b = Transpose(a) perm=[1,2,0]
    c = Transpose(b)
    y = Relu(c)
  )",
                   R"(
    x: f32[2,3,4]
    c = Transpose(x) perm=[1,0,2]
    y = Relu(c)
  )");
}

// The same shape is not the same order.
TEST(CollapseTransposes, KeepsATransposeOfASquare) {
  EXPECT_REWRITTEN("collapse-transposes", R"(
    x: f32[3,3,3]
    a = Transpose(x) perm=[1,2,0]
    b = Transpose(a) perm=[1,2,0]
    y = Relu(b)
  )",
                   R"(
    x: f32[3,3,3]
    b = Transpose(x) perm=[2,0,1]
    y = Relu(b)
  )");
  EXPECT_UNCHANGED("remove-identities", R"(
    x: f32[3,3]
    y = Transpose(x)
  )");
}

TEST(MergeConcats, OpensInnerConcatsInOrder) {
  EXPECT_REWRITTEN("merge-concats", R"(
    a: f32[2,1]
    b: f32[2,2]
    c: f32[2,3]
    d: f32[2,4]
    ab = Concat(a, b) axis=1
    abc = Concat(ab, c) axis=-1
    da = Concat(d, a) axis=1
    y = Concat(abc, da, b) axis=1
  )",
                   R"(
    a: f32[2,1]
    b: f32[2,2]
    c: f32[2,3]
    d: f32[2,4]
    y = Concat(a, b, c, d, a, b) axis=1
  )");
}

TEST(MergeConcats, KeepsOtherAxesAndSharedParts) {
  EXPECT_UNCHANGED("merge-concats", R"(
    a: f32[2,2]
    b: f32[2,2]
    ab = Concat(a, b) axis=0
    x = Concat(ab, ab) axis=1
    cd = Concat(a, b) axis=1
    z = Concat(cd, a) axis=1
    return x, z, cd
  )");
}

TEST(CancelSplitConcat, DropsAConcatOfAllParts) {
  EXPECT_REWRITTEN("cancel-split-concat", R"(
    x: f32[2,6]
    a, b, c = Split(x, sizes: i64[3] = {1,2,3}) axis=1
    j = Concat(a, b, c) axis=-1
    y = Relu(j)
  )",
                   R"(
    x: f32[2,6]
    y = Relu(x)
  )");
}

TEST(CancelSplitConcat, DropsASplitAtTheJoints) {
  EXPECT_REWRITTEN("cancel-split-concat", R"(
    a: f32[2,1]
    b: f32[2,3]
    j = Concat(a, b) axis=1
    c, d = Split(j, sizes: i64[2] = {1,3}) axis=1
    x = Relu(c)
    y = Relu(d)
  )",
                   R"(
    a: f32[2,1]
    b: f32[2,3]
    x = Relu(a)
    y = Relu(b)
  )");
}

TEST(CancelSplitConcat, KeepsWhatDoesNotCoincide) {
  EXPECT_UNCHANGED("cancel-split-concat", R"(
    x: f32[4,4]
    a, b = Split(x) axis=1 num_outputs=2
    swapped = Concat(b, a) axis=1
    other = Concat(a, b) axis=0
    some = Concat(a, a) axis=1
    c, d = Split(swapped, sizes: i64[2] = {1,3}) axis=1
    return other, some, c, d
  )");
}

}  // namespace
}  // namespace braid
