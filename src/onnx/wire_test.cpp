#include "onnx/wire.h"

#include <string>

#include <gtest/gtest.h>

#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

std::span<const std::byte> wire_bytes(const std::string& text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

std::vector<WireField> fields_of(const std::string& message) {
  WireReader reader(wire_bytes(message), wire_bytes(message));
  std::vector<WireField> fields;
  while (const auto field = reader.next()) fields.push_back(*field);
  return fields;
}

TEST(WireReader, ReadsEveryType) {
  const std::string message(
      "\x08\x96\x01\x12\x03"
      "abc\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08",
      22);
  const auto fields = fields_of(message);
  ASSERT_EQ(fields.size(), 4);
  EXPECT_EQ(fields[0].number, 1);
  EXPECT_EQ(fields[0].varint, 150);
  EXPECT_EQ(fields[1].number, 2);
  EXPECT_EQ(fields[1].bytes.size(), 3);
  EXPECT_EQ(fields[1].whole.size(), 5);
  EXPECT_EQ(fields[2].bytes.size(), 4);
  EXPECT_EQ(fields[3].bytes.size(), 8);
}

TEST(WireReader, ReadsNegativeNumbers) {
  const std::string minus_one = "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(fields_of(minus_one).at(0).varint, ~std::uint64_t{0});
}

TEST(WireReader, RefusesMalformedBytes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x08", "cut off"},
      {"\x08\xff", "cut off"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "too long"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "too long"},
      {"\x12\x05x", "cut off"},
      {"\x12\xff\xff\xff\xff\x07x", "cut off"},
      {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7fx", "cut off"},
      {"\x1d\x01", "cut off"},
      {"\x21\x01", "cut off"},
      {"\x0b\x0c", "bad type"},
      {"\x0e", "bad type"},
      {std::string("\0\1", 2), "bad number"},
  };
  for (const auto& [message, problem] : cases)
    expect_error(ErrorKind::Model, {problem, "at byte"}, [&] { fields_of(message); });
}

}  // namespace
}  // namespace braid::onnx
