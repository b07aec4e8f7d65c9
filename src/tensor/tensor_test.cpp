#include <cstring>

#include <gtest/gtest.h>

#include <braid/tensor.h>

#include "base/testing/kind_of_error.h"

namespace braid {
namespace {

TEST(TensorType, CountsElements) {
  EXPECT_EQ(element_count(Dims{}), 1);
  EXPECT_EQ(element_count(Dims{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Dims{2, 0, 4}), 0);
  EXPECT_EQ(byte_size(TensorType{ElementType::F16, {3}}), 6);
  EXPECT_EQ(to_string(TensorType{ElementType::F32, {1, 3}}), "f32[1,3]");
  EXPECT_EQ(to_string(TensorType{ElementType::Bool, {}}), "bool[]");
}

TEST(TensorType, RefusesImpossibleShapes) {
  EXPECT_EQ(kind_of_error([] { element_count(Dims{-1}); }), ErrorKind::Model);
  EXPECT_EQ(kind_of_error([] { element_count(Dims{0, -1}); }), ErrorKind::Model);
  EXPECT_EQ(kind_of_error([] { element_count(Dims{INT64_MAX, 2}); }), ErrorKind::Quota);
  EXPECT_EQ(kind_of_error([] { element_count(Dims{INT64_MAX}); }), ErrorKind::Quota);
  EXPECT_EQ(kind_of_error([] { element_count(Dims{0, INT64_MAX, 2}); }), ErrorKind::Quota);
  EXPECT_EQ(element_count(Dims{INT64_MAX / 8}), INT64_MAX / 8);
}

TEST(Tensor, HoldsElements) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(x.data<float>()[3], 4);
  EXPECT_EQ(x.elements(), 4);
  EXPECT_EQ(Tensor::scalar(std::int64_t{7}).dims(), Dims({}));
  const Tensor zeros = Tensor::zeros({ElementType::I32, {5}});
  for (std::int32_t z : zeros.data<std::int32_t>()) EXPECT_EQ(z, 0);
  EXPECT_FALSE(Tensor().defined());
  EXPECT_TRUE(Tensor::zeros({ElementType::F32, {0}}).defined());
}

TEST(Tensor, MemoryIsAligned) {
  for (int i = 1; i < 100; ++i) {
    const Tensor x = Tensor::uninitialised({ElementType::U8, {i}});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.bytes().data()) % 64, 0);
  }
}

TEST(Tensor, RefusesWrongUse) {
  EXPECT_EQ(kind_of_error([] { Tensor::scalar(1.0F).data<double>(); }), ErrorKind::Internal);
  EXPECT_EQ(kind_of_error([] { Tensor::of<float>({3}, {1, 2}); }), ErrorKind::Internal);
  EXPECT_EQ(kind_of_error([] { Tensor::scalar(1.0F).reshaped({2}); }), ErrorKind::Internal);
  Tensor shared = Tensor::scalar(1.0F).reshaped({1});
  EXPECT_EQ(kind_of_error([&] { shared.mutable_data<float>(); }), ErrorKind::Internal);
}

TEST(Tensor, RefusesMoreMemoryThanThereIs) {
  EXPECT_EQ(
      kind_of_error([] { Tensor::uninitialised({ElementType::F64, {INT64_MAX / 8 - 1000}}); }),
      ErrorKind::Quota);
}

TEST(Tensor, BorrowsBytesAndKeepsTheirOwner) {
  auto owner = std::make_shared<std::array<float, 4>>(std::array<float, 4>{1, 2, 3, 4});
  const auto* bytes = reinterpret_cast<const std::byte*>(owner->data());
  Tensor x = Tensor::borrow({ElementType::F32, {4}}, bytes, owner);
  EXPECT_EQ(x.bytes().data(), bytes);
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(kind_of_error([&] { x.mutable_bytes(); }), ErrorKind::Internal);
  const Tensor view = x.reshaped({2, 2});
  EXPECT_EQ(view.bytes().data(), bytes);
}

TEST(Tensor, CopiesUnalignedBytesWhenAsked) {
  alignas(8) static std::array<std::byte, 9> memory{};
  const float number = 2.5F;
  std::memcpy(memory.data() + 1, &number, sizeof number);
  const Tensor x = Tensor::borrow({ElementType::F32, {1}}, memory.data() + 1, nullptr);
  EXPECT_EQ(kind_of_error([&] { x.data<float>(); }), ErrorKind::Internal);
  EXPECT_EQ(x.aligned().data<float>()[0], 2.5F);
  const Tensor y = Tensor::scalar(1.0F);
  EXPECT_EQ(y.aligned().bytes().data(), y.bytes().data());
}

TEST(Tensor, TypeWithoutBytesCanBeAligned) {
  // Shape needs the type of its input only.
  const Tensor x = Tensor::borrow({ElementType::F64, {100}}, nullptr, nullptr);
  EXPECT_TRUE(x.defined());
  EXPECT_EQ(x.aligned().bytes().data(), x.bytes().data());
}

TEST(Tensor, OddTruthValuesFromOutsideBecomeTrue) {
  static constexpr std::array<std::byte, 3> odd = {std::byte{0}, std::byte{1}, std::byte{255}};
  const TensorType type{ElementType::Bool, {3}};
  for (const Tensor& x : {Tensor::borrow(type, odd.data(), nullptr), Tensor::copy_of(type, odd)}) {
    const auto bytes = x.bytes();
    EXPECT_EQ(bytes[0], std::byte{0});
    EXPECT_EQ(bytes[1], std::byte{1});
    EXPECT_EQ(bytes[2], std::byte{1});
  }
}

TEST(Tensor, IdenticalMeansTypeAndBytes) {
  const Tensor a = Tensor::of<float>({2}, {1, 2});
  EXPECT_TRUE(identical(a, Tensor::of<float>({2}, {1, 2})));
  EXPECT_FALSE(identical(a, Tensor::of<float>({2}, {1, 3})));
  EXPECT_FALSE(identical(a, a.reshaped({2, 1})));
  EXPECT_FALSE(identical(Tensor::scalar(0.0F), Tensor::scalar(-0.0F)));
  EXPECT_TRUE(identical(Tensor(), Tensor()));
  EXPECT_FALSE(identical(Tensor(), Tensor::zeros({ElementType::F32, {}})));
}

}  // namespace
}  // namespace braid
