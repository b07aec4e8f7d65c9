#include "base/hash.h"

#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

template <class... Fields>
Hash128 hash_of(const Fields&... fields) {
  Hasher hasher;
  (hasher.add(fields), ...);
  return hasher.finish();
}

TEST(Hasher, IsTheSameForTheSameFields) {
  EXPECT_EQ(hash_of(1, 2.5F, std::string_view("x")), hash_of(1, 2.5F, std::string_view("x")));
}

TEST(Hasher, TellsApartWhereTextsEnd) {
  EXPECT_NE(hash_of(std::string_view("a"), std::string_view("b")),
            hash_of(std::string_view("ab"), std::string_view("")));
  EXPECT_NE(hash_of(std::string_view("")), hash_of());
}

TEST(Hasher, OrderAndWidthCount) {
  EXPECT_NE(hash_of(1, 2), hash_of(2, 1));
  EXPECT_NE(hash_of(std::int32_t{1}), hash_of(std::int64_t{1}));
  EXPECT_NE(hash_of(Hash128{1, 2}), hash_of(Hash128{2, 1}));
}

TEST(Hasher, IsTheHashOfAllBytesHoweverTheyCome) {
  std::vector<std::byte> bytes(3000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
  for (const std::size_t step : {1U, 3U, 500U, 512U, 513U, 1000U, 3000U}) {
    Hasher hasher;
    for (std::size_t at = 0; at < bytes.size(); at += step)
      hasher.add(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    EXPECT_EQ(hasher.finish(), hash_bytes(bytes)) << step;
    EXPECT_EQ(hasher.finish(), hash_bytes(bytes)) << step;
  }
}

TEST(Hash128, PrintsAllDigits) {
  EXPECT_EQ(to_string(Hash128{0x1, 0xab}), "000000000000000100000000000000ab");
}

TEST(HashBytes, DependsOnEveryByte) {
  std::vector<std::byte> bytes(1000, std::byte{1});
  const Hash128 before = hash_bytes(bytes);
  bytes[999] = std::byte{2};
  EXPECT_NE(hash_bytes(bytes), before);
  EXPECT_NE(hash_bytes({}), before);
}

TEST(Hash128, IsReadFromItsText) {
  const Hash128 hash = hash_of(1);
  EXPECT_EQ(parse_hash(to_string(hash)), hash);
  for (const std::string_view text :
       {"", "12", "0123456789abcdef0123456789abcdeg", "0123456789abcdef 123456789abcdef",
        "0123456789abcdef0123456789abcdef0"})
    EXPECT_EQ(parse_hash(text), std::nullopt) << text;
}

}  // namespace
}  // namespace braid
