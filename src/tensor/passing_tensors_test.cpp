#include "tensor/passing_tensors.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

Tensor numbers(std::vector<float> list) {
  return Tensor::of<float>({static_cast<std::int64_t>(list.size())}, std::span<const float>(list));
}

TEST(PassingTensors, LeaveAPromiseAsItWas) {
  int made = 0;
  const Tensor promised = Tensor::promised({ElementType::F32, {2}}, [&] {
    ++made;
    return numbers({1, 2});
  });
  {
    const PassingTensors passing;
    EXPECT_EQ(promised.data<float>()[1], 2);
    EXPECT_EQ(promised.data<float>()[0], 1);
    EXPECT_EQ(made, 1);
  }
  EXPECT_TRUE(promised.is_promised());
  EXPECT_EQ(promised.data<float>()[1], 2);
  EXPECT_EQ(made, 2);
  EXPECT_FALSE(promised.is_promised());
}

TEST(PassingTensors, ReadWhatWasKeptBefore) {
  int made = 0;
  const Tensor promised = Tensor::promised({ElementType::F32, {1}}, [&] {
    ++made;
    return numbers({3});
  });
  const float* kept = promised.data<float>().data();
  const PassingTensors passing;
  EXPECT_EQ(promised.data<float>().data(), kept);
  EXPECT_EQ(made, 1);
}

TEST(PassingTensors, LeaveWhatARecipeReadsAsItWas) {
  const Tensor inner = Tensor::promised({ElementType::F32, {1}}, [] { return numbers({4}); });
  const Tensor outer = Tensor::promised({ElementType::F32, {1}},
                                        [inner] { return numbers({2 * inner.data<float>()[0]}); });
  {
    const PassingTensors passing;
    EXPECT_EQ(outer.data<float>()[0], 8);
  }
  EXPECT_TRUE(inner.is_promised());
  EXPECT_TRUE(outer.is_promised());
}

TEST(PassingTensors, TellPromisesApartThatCameAndWent) {
  const PassingTensors passing;
  for (float i = 0; i < 20; ++i) {
    const Tensor promised = Tensor::promised({ElementType::F32, {1}}, [i] { return numbers({i}); });
    EXPECT_EQ(promised.data<float>()[0], i);
  }
}

TEST(PassingTensors, AreOfTheInnermostScope) {
  int made = 0;
  const Tensor promised = Tensor::promised({ElementType::F32, {1}}, [&] {
    ++made;
    return numbers({5});
  });
  const PassingTensors outer;
  EXPECT_EQ(promised.data<float>()[0], 5);
  {
    const PassingTensors inner;
    EXPECT_EQ(promised.data<float>()[0], 5);
  }
  EXPECT_EQ(promised.data<float>()[0], 5);
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace braid
