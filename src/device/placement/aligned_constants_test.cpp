#include "device/placement/aligned_constants.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

const TensorType kType{ElementType::F32, {2}};
alignas(64) constexpr std::byte kBytes[64] = {};

struct Constants {
  explicit Constants(const std::byte* bytes)
      : value(graph.add_constant("w", Tensor::borrow(kType, bytes, nullptr))) {}

  Graph graph;
  ValueId value;
  AlignedConstants aligned{graph};
};

TEST(AlignedConstants, AreCopiedOnceIfTheyAreUnaligned) {
  Constants constants(kBytes + 1);
  const std::byte* first = constants.aligned.of(constants.value).bytes().data();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % sizeof(float), 0U);
  EXPECT_EQ(constants.aligned.of(constants.value).bytes().data(), first);
}

TEST(AlignedConstants, StayWhereTheyAreElse) {
  Constants constants(kBytes + sizeof(float));
  EXPECT_EQ(constants.aligned.of(constants.value).bytes().data(), kBytes + sizeof(float));
}

}  // namespace
}  // namespace braid
