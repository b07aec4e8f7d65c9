#include "device/cpu/machine/kernel_identity.h"

#include <gtest/gtest.h>

namespace braid::cpu {
namespace {

TEST(KernelIdentity, IsThatOfTheFirstFamilyWhichHasTheImplementation) {
  constexpr KernelFamily families[] = {{"panels", "p"}, {"onednn:*", "o"}, {"*", "all"}};
  EXPECT_EQ(kernel_identity("panels", families), "p");
  EXPECT_EQ(kernel_identity("onednn:brgconv:avx512_core", families), "o");
  EXPECT_EQ(kernel_identity("panels of another kind", families), "all");
  EXPECT_EQ(kernel_identity("", families), "all");
}

TEST(KernelIdentity, TheBuildMadeAHashForEachFamily) {
  ASSERT_FALSE(kernel_families().empty());
  EXPECT_EQ(kernel_families().back().implementation, "*");
  for (const KernelFamily& family : kernel_families()) EXPECT_EQ(family.hash.size(), 12U);
  EXPECT_NE(kernel_identity("panels"), kernel_identity("onednn:brgconv:avx512_core"));
  EXPECT_NE(kernel_identity("panels"), kernel_identity("chain"));
}

}  // namespace
}  // namespace braid::cpu
