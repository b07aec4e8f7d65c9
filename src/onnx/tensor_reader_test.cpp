#include "onnx/tensor_reader.h"

#include <gtest/gtest.h>

#include "onnx/tensor_file.h"
#include "onnx/testing/models.h"
#include "tensor/element.h"

namespace braid::onnx {
namespace {

using namespace testing;

proto::TensorProto empty(proto::TensorProto::DataType type, const Dims& dims) {
  proto::TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (std::int64_t d : dims) tensor.add_dims(d);
  return tensor;
}

/// The tensor as it is read when it is a model's initialiser.
Tensor read(const proto::TensorProto& tensor) {
  auto m = model(17);
  *m.mutable_graph()->add_initializer() = tensor;
  m.mutable_graph()->add_output()->set_name("w");
  const Graph graph = load_model(m);
  return graph.value(graph.find("w")).constant;
}

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  const auto data = tensor.data<T>();
  return {data.begin(), data.end()};
}

TEST(TensorReader, ReadsEveryTypedList) {
  auto f32 = empty(proto::TensorProto::FLOAT, {2});
  f32.add_float_data(1.5F);
  f32.add_float_data(-2);
  EXPECT_EQ(elements<float>(read(f32)), (std::vector<float>{1.5F, -2}));
  auto f64 = empty(proto::TensorProto::DOUBLE, {1});
  f64.add_double_data(0.25);
  EXPECT_EQ(elements<double>(read(f64)), (std::vector<double>{0.25}));
  auto i64 = empty(proto::TensorProto::INT64, {2});
  i64.add_int64_data(-1);
  i64.add_int64_data(std::int64_t{1} << 62);
  EXPECT_EQ(elements<std::int64_t>(read(i64)),
            (std::vector<std::int64_t>{-1, std::int64_t{1} << 62}));
  auto u64 = empty(proto::TensorProto::UINT64, {1});
  u64.add_uint64_data(~std::uint64_t{0});
  EXPECT_EQ(elements<std::uint64_t>(read(u64)), (std::vector<std::uint64_t>{~std::uint64_t{0}}));
  auto u32 = empty(proto::TensorProto::UINT32, {1});
  u32.add_uint64_data(4'000'000'000U);
  EXPECT_EQ(elements<std::uint32_t>(read(u32)), (std::vector<std::uint32_t>{4'000'000'000U}));
  auto i8 = empty(proto::TensorProto::INT8, {2});
  i8.add_int32_data(-128);
  i8.add_int32_data(127);
  EXPECT_EQ(elements<std::int8_t>(read(i8)), (std::vector<std::int8_t>{-128, 127}));
  auto boolean = empty(proto::TensorProto::BOOL, {2});
  boolean.add_int32_data(1);
  boolean.add_int32_data(0);
  EXPECT_EQ(elements<bool>(read(boolean)), (std::vector<bool>{true, false}));
  auto f16 = empty(proto::TensorProto::FLOAT16, {1});
  f16.add_int32_data(0xbc00);
  EXPECT_EQ(to_float(elements<Float16>(read(f16)).at(0)), -1);
  auto bf16 = empty(proto::TensorProto::BFLOAT16, {1});
  bf16.add_int32_data(0x3f80);
  EXPECT_EQ(to_float(elements<BFloat16>(read(bf16)).at(0)), 1);
}

TEST(TensorReader, ReadsRawBytes) {
  EXPECT_EQ(elements<std::int16_t>(read(raw_tensor<std::int16_t>("w", {1, 2}, {-3, 4}))),
            (std::vector<std::int16_t>{-3, 4}));
  EXPECT_EQ(read(raw_tensor<float>("w", {0, 5}, {})).dims(), (Dims{0, 5}));
  EXPECT_EQ(elements<float>(read(raw_tensor<float>("w", {}, {3}))), (std::vector<float>{3}));
}

TEST(TensorReader, MakesBoolsOfOtherBytes) {
  auto odd = empty(proto::TensorProto::BOOL, {3});
  odd.set_raw_data(std::string("\0\1\7", 3));
  EXPECT_EQ(elements<bool>(read(odd)), (std::vector<bool>{false, true, true}));
}

TEST(TensorReader, BorrowsLargeWeights) {
  const std::vector<float> many(5000, 2);
  auto m = model(17);
  *m.mutable_graph()->add_initializer() = raw_tensor<float>("w", {5000}, many);
  auto& list = *m.mutable_graph()->add_initializer();
  list = empty(proto::TensorProto::FLOAT, {5000});
  list.set_name("v");
  for (float f : many) list.add_float_data(f);
  for (const char* name : {"w", "v"}) m.mutable_graph()->add_output()->set_name(name);
  const auto owner = std::make_shared<std::string>(m.SerializeAsString());
  const auto bytes = std::as_bytes(std::span<const char>(owner->data(), owner->size()));
  const Graph graph = load_bytes(bytes, owner);
  const auto* w = graph.value(graph.find("w")).constant.bytes().data();
  EXPECT_TRUE(w >= bytes.data() && w < bytes.data() + bytes.size());
  EXPECT_EQ(elements<float>(graph.value(graph.find("w")).constant.aligned()), many);
  EXPECT_EQ(elements<float>(graph.value(graph.find("v")).constant.aligned()), many);
}

TEST(TensorReader, RefusesElementsThatDoNotFitTheShape) {
  expect_error(ErrorKind::Model, {"'w'", "8 bytes", "expected 12", "f32[3]"},
               [] { read(raw_tensor<float>("w", {3}, {1, 2})); });
  auto few = empty(proto::TensorProto::INT64, {3});
  few.add_int64_data(1);
  expect_error(ErrorKind::Model, {"'w'", "i64[3]"}, [&] { read(few); });
  auto many = empty(proto::TensorProto::INT64, {1});
  many.add_int64_data(1);
  many.add_int64_data(1);
  expect_error(ErrorKind::Model, {"'w'", "i64[1]"}, [&] { read(many); });
  expect_error(ErrorKind::Model, {"'w'"}, [] { read(empty(proto::TensorProto::FLOAT, {1})); });
  auto both = raw_tensor<float>("w", {1}, {1});
  both.add_float_data(1);
  expect_error(ErrorKind::Model, {"'w'", "both"}, [&] { read(both); });
  auto two = empty(proto::TensorProto::FLOAT, {1});
  two.add_float_data(1);
  two.add_double_data(1);
  expect_error(ErrorKind::Model, {"'w'", "two"}, [&] { read(two); });
  auto other = empty(proto::TensorProto::FLOAT, {1});
  other.add_int32_data(1);
  expect_error(ErrorKind::Model, {"'w'", "another type"}, [&] { read(other); });
  auto large = empty(proto::TensorProto::INT8, {1});
  large.add_int32_data(300);
  expect_error(ErrorKind::Model, {"'w'", "300"}, [&] { read(large); });
}

TEST(TensorReader, RefusesImpossibleShapes) {
  const std::int64_t huge = std::int64_t{1} << 32;
  expect_error(ErrorKind::Quota, {"too many elements", "'w'"},
               [&] { read(empty(proto::TensorProto::FLOAT, {huge, huge})); });
  expect_error(ErrorKind::Model, {"'w'", "-1"},
               [] { read(empty(proto::TensorProto::FLOAT, {-1})); });
  expect_error(ErrorKind::Model, {"'w'"}, [] {
    read(empty(proto::TensorProto::FLOAT, {std::numeric_limits<std::int64_t>::min()}));
  });
  expect_error(ErrorKind::Quota, {"'rank'"},
               [] { read(empty(proto::TensorProto::FLOAT, Dims(1000, 1))); });
  // Claims a terabyte that is not there: refused before it is asked for.
  expect_error(ErrorKind::Model, {"'w'"},
               [] { read(empty(proto::TensorProto::INT64, {std::int64_t{1} << 37})); });
}

TEST(TensorReader, RefusesTypesThatBraidLacks) {
  for (auto type :
       {proto::TensorProto::STRING, proto::TensorProto::INT4, proto::TensorProto::FLOAT8E4M3FN,
        proto::TensorProto::COMPLEX64, proto::TensorProto::FLOAT4E2M1})
    expect_error(ErrorKind::Unsupported, {"'w'", proto::TensorProto::DataType_Name(type)},
                 [&] { read(empty(type, {1})); });
  for (int type : {0, 999, -5}) {
    auto bad = empty(proto::TensorProto::FLOAT, {1});
    bad.set_data_type(type);
    expect_error(ErrorKind::Model, {"'w'", std::to_string(type)}, [&] { read(bad); });
  }
}

TEST(TensorFile, RoundTrips) {
  const Folder folder;
  for (const Tensor& tensor :
       {Tensor::of<float>({2, 2}, {1, 2, 3, 4}), Tensor::scalar<std::int64_t>(7),
        Tensor::zeros({ElementType::F16, {3, 0}}), Tensor::of<bool>({2}, {true, false})}) {
    write_tensor_file(folder.path() / "t.pb", {"name", tensor});
    const TensorFile again = read_tensor_file(folder.path() / "t.pb");
    EXPECT_EQ(again.name, "name");
    EXPECT_TRUE(identical(again.tensor, tensor));
  }
}

TEST(TensorFile, NamesABrokenFile) {
  const Folder folder;
  expect_error(ErrorKind::Model, {"t.pb"},
               [&] { read_tensor_file(folder.write("t.pb", "nonsense")); });
  expect_error(ErrorKind::Model, {"t.pb"}, [&] { read_tensor_file(folder.write("t.pb", "")); });
}

}  // namespace
}  // namespace braid::onnx
