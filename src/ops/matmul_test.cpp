#include "ops/matmul.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ops/builder.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

TEST(MatMul, MultipliesMatricesAndVectors) {
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = floats({3, 2}, {1, 0, 0, 1, 2, 2});
  const Tensor v = floats({3}, {1, 10, 100});
  expect_elements<float>(result_of("MatMul", {a, b}), {2, 2}, {7, 8, 16, 17});
  expect_elements<float>(result_of("MatMul", {a, v}), {2}, {321, 654});
  expect_elements<float>(result_of("MatMul", {v, b}), {2}, {201, 210});
  expect_elements<float>(result_of("MatMul", {v, v}), {}, {10101});
}

TEST(MatMul, BroadcastsBatches) {
  const Tensor a = integers({2, 1, 1, 2}, {1, 2, 3, 4});
  const Tensor b = integers({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  expect_elements<std::int64_t>(result_of("MatMul", {a, b}), {2, 3, 1, 1}, {1, 2, 3, 3, 4, 7});
}

TEST(MatMul, WrapsIntegersAround) {
  const auto big = std::numeric_limits<std::int64_t>::max();
  expect_elements<std::int64_t>(
      result_of("MatMul", {integers({1, 2}, {big, 1}), integers({2, 1}, {2, 3})}), {1, 1}, {1});
}

TEST(MatMul, AddsBiasAndResidualAndActivates) {
  const Tensor a = floats({2, 1}, {1, -1});
  const Tensor b = floats({1, 2}, {1, 2});
  const Tensor bias = floats({2}, {10, 20});
  const Tensor residual = floats({2, 2}, {0, 0, -100, 0});
  expect_elements<float>(result_of("MatMul", {a, b, bias, residual},
                                   {{"activation", std::string("clip")},
                                    {"activation_alpha", -1.0F},
                                    {"activation_beta", 20.0F}}),
                         {2, 2}, {11, 20, -1, 18});
}

TEST(MatMul, SumsNothingToZero) {
  const Tensor a = Tensor::zeros({ElementType::F32, {2, 0}});
  const Tensor b = Tensor::zeros({ElementType::F32, {0, 1}});
  expect_elements<float>(result_of("MatMul", {a, b}), {2, 1}, {0, 0});
  EXPECT_EQ(result_of("MatMul", {b, floats({1, 2}, {1, 2})}).dims(), (Dims{0, 2}));
}

TEST(MatMul, RefusesShapesThatDoNotFit) {
  const Tensor a = floats({1, 2}, {1, 2});
  EXPECT_EQ(complaint_of("MatMul", {a, a}),
            "bad model or input: MatMul cannot multiply shapes [1,2] and [1,2]");
  EXPECT_EQ(complaint_of("MatMul", {a, floats({}, {1})}),
            "bad model or input: MatMul cannot multiply shapes [1,2] and []");
  EXPECT_EQ(
      complaint_of("MatMul", {a, floats({2, 1}, {1, 2}), floats({2}, {1, 2})}),
      "bad model or input: the bias of MatMul has shape [2], which does not broadcast to [1,1]");
}

TEST(Gemm, ScalesAndBroadcasts) {
  const Tensor a = floats({2, 2}, {1, 2, 3, 4});
  const Tensor b = floats({2, 2}, {1, 0, 1, 1});
  const Tensor c = floats({2, 1}, {1, 2});
  const Attributes attributes = {{"alpha", 2.0F}, {"beta", 0.5F}};
  expect_elements<float>(result_of("Gemm", {a, b, c}, attributes), {2, 2}, {6.5F, 4.5F, 15, 9});
  expect_elements<float>(result_of("Gemm", {a, b, floats({}, {10})}), {2, 2}, {13, 12, 17, 14});
}

TEST(Gemm, RefusesWhatDoesNotFit) {
  const Tensor a = integers({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(
      complaint_of("Gemm", {a, a}),
      "bad model or input: Gemm cannot multiply shapes [2,3] and [2,3] with transA=0 transB=0");
  EXPECT_EQ(complaint_of("Gemm", {a, a}, {{"transB", std::int64_t{1}}}), "no error");
  EXPECT_EQ(complaint_of("Gemm", {a, a}, {{"transB", std::int64_t{1}}, {"alpha", 0.5F}}),
            "unsupported: attribute 'alpha' of Gemm is 0.5, which is not a whole number, on "
            "elements of type i64");
  EXPECT_EQ(complaint_of("Gemm", {a, integers({3}, {1, 2, 3})}),
            "bad model or input: Gemm multiplies matrices, got shapes [2,3] and [3]");
}

TEST(Gemm, EqualsMatMulOfTheTransposed) {
  rc::check([] {
    const auto extent = rc::gen::inRange<std::int64_t>(1, 5);
    const std::int64_t m = *extent;
    const std::int64_t k = *extent;
    const std::int64_t n = *extent;
    const bool transpose_a = *rc::gen::arbitrary<bool>();
    const bool transpose_b = *rc::gen::arbitrary<bool>();
    // Returns the matrix and its transpose if asked.
    const auto matrix = [](std::int64_t rows, std::int64_t columns, bool transposed) {
      std::vector<std::int64_t> plain(static_cast<std::size_t>(rows * columns));
      std::vector<std::int64_t> turned(plain.size());
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          plain[static_cast<std::size_t>(i * columns + j)] =
              turned[static_cast<std::size_t>(j * rows + i)] = *rc::gen::inRange(-9, 10);
      const Tensor first =
          Tensor::of<std::int64_t>({rows, columns}, std::span(std::as_const(plain)));
      const Tensor second =
          Tensor::of<std::int64_t>({columns, rows}, std::span(std::as_const(turned)));
      return std::pair(first, transposed ? second : first);
    };
    const auto [a, a_given] = matrix(m, k, transpose_a);
    const auto [b, b_given] = matrix(k, n, transpose_b);
    const Tensor found =
        result_of("Gemm", {a_given, b_given},
                  {{"transA", std::int64_t{transpose_a}}, {"transB", std::int64_t{transpose_b}}});
    RC_ASSERT(identical(found, result_of("MatMul", {a, b})));
  });
}

TEST(MatMul, CountsItsWork) {
  const Graph graph = parse("x: f32[5,2,3]\ny = MatMul(x, w: f32[3,4]) activation=\"relu\"");
  const Work found = work(graph, graph.node_ids()[0]);
  EXPECT_EQ(found.macs, 5.0 * 2 * 3 * 4);
  EXPECT_EQ(found.flops, 2 * found.macs + 5 * 2 * 4);
}

}  // namespace
}  // namespace braid
