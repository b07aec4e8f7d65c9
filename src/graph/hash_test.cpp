#include "graph/hash.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace braid {
namespace {

Hash128 hash_of(std::string_view text, HashWeights weights = HashWeights::Bytes) {
  return hash(parse_graph(text, {}), weights);
}

TEST(GraphHash, DoesNotDependOnNames) {
  EXPECT_EQ(hash_of("x: f32[2]\ny: f32[2] = A(x, w: f32[1] = {1}) @\"one\"\n"),
            hash_of("in: f32[2]\nout: f32[2] = A(in, weight: f32[1] = {1}) @\"two\"\n"));
}

TEST(GraphHash, DoesNotDependOnTheOrderOfIndependentNodes) {
  EXPECT_EQ(hash_of("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(x)\ny: f32[2] = C(a, b)\n"),
            hash_of("x: f32[2]\nb: f32[2] = B(x)\na: f32[2] = A(x)\ny: f32[2] = C(a, b)\n"));
}

TEST(GraphHash, DependsOnThePositionOfInputs) {
  EXPECT_NE(hash_of("x: f32[2]\nz: f32[2]\ny: f32[2] = A(x, z)\n"),
            hash_of("x: f32[2]\nz: f32[2]\ny: f32[2] = A(z, x)\n"));
  EXPECT_NE(hash_of("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(x)\ny: f32[2] = C(a, b)\n"),
            hash_of("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(x)\ny: f32[2] = C(b, a)\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x, -)\n"),
            hash_of("x: f32[2]\ny: f32[2] = A(-, x)\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x)\n"), hash_of("x: f32[2]\ny: f32[2] = A(x, -)\n"));
}

TEST(GraphHash, DependsOnOperatorsAttributesAndTypes) {
  const Hash128 plain = hash_of("x: f32[2]\ny: f32[2] = A(x) k=1\n");
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = B(x) k=1\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x) k=2\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x) j=1\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x) k=1.0\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x) k=[1]\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x)\n"));
  EXPECT_NE(plain, hash_of("x: f32[1,2]\ny: f32[2] = A(x) k=1\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: i32[2] = A(x) k=1\n"));
}

TEST(GraphHash, DependsOnLowering) {
  const Hash128 plain = hash_of("x: f32[2]\ny: f32[2] = A(x)\n");
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] = A(x) <fast>\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x) <fast>\n"),
            hash_of("x: f32[2]\ny: f32[2] = A(x) <fast scratch=64>\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x) <fast cut=0/1>\n"),
            hash_of("x: f32[2]\ny: f32[2] = A(x) <fast cut=0/2>\n"));
  EXPECT_NE(plain, hash_of("x: f32[2]\ny: f32[2] <nhwc> = A(x)\n"));
}

TEST(GraphHash, IsTheSameWhicheverCutComesFirst) {
  EXPECT_EQ(hash_of("x: f32[2]\ny: f32[2] = A(x) <fast cut=0/1 cut=1/4>\n"),
            hash_of("x: f32[2]\ny: f32[2] = A(x) <fast cut=1/4 cut=0/1>\n"));
}

TEST(GraphHash, TellsSharingFromDuplication) {
  EXPECT_NE(hash_of("x: f32[2]\na: f32[2] = A(x)\ny: f32[2] = C(a, a)\n"),
            hash_of("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = A(x)\ny: f32[2] = C(a, b)\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x, w: f32[1] = {1}, w)\n"),
            hash_of("x: f32[2]\ny: f32[2] = A(x, w: f32[1] = {1}, v: f32[1] = {1})\n"));
  EXPECT_NE(hash_of("x: f32[2]\ny: f32[2] = A(x, x)\n"),
            hash_of("x: f32[2]\nz: f32[2]\ny: f32[2] = A(x, z)\n"));
}

TEST(GraphHash, DependsOnOutputsAndTheirOrder) {
  constexpr std::string_view body = "x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(a)\n";
  const auto with = [&](const char* outputs) { return hash_of(std::string(body) + outputs); };
  EXPECT_NE(with("return a, b\n"), with("return b, a\n"));
  EXPECT_NE(with("return b\n"), with("return a, b\n"));
  EXPECT_EQ(with("return b as \"p\"\n"), with("return b as \"q\"\n"));
}

TEST(GraphHash, WeightsCountByBytesOrByType) {
  constexpr std::string_view one = "x: f32[2]\ny: f32[2] = A(x, w: f32[2] = {1,2})\n";
  constexpr std::string_view two = "x: f32[2]\ny: f32[2] = A(x, w: f32[2] = {1,3})\n";
  constexpr std::string_view other = "x: f32[2]\ny: f32[2] = A(x, w: f32[1,2] = {1,2})\n";
  EXPECT_NE(hash_of(one), hash_of(two));
  EXPECT_EQ(hash_of(one, HashWeights::TypesOnly), hash_of(two, HashWeights::TypesOnly));
  EXPECT_NE(hash_of(one, HashWeights::TypesOnly), hash_of(other, HashWeights::TypesOnly));
}

}  // namespace
}  // namespace braid
