#include "graph/attributes.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/hash.h"

namespace braid {
namespace {

const Attributes kAll = {
    {"z", std::int64_t{3}},           {"r", 0.5F},
    {"s", std::string("same")},       {"zs", std::vector<std::int64_t>{1, 2}},
    {"rs", std::vector<float>{1.5F}}, {"ss", std::vector<std::string>{"a", "b"}},
    {"t", Tensor::scalar(1.0F)}};

std::string complaint(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    return error.message();
  }
  return "no error";
}

Hash128 hash_of(const Attributes& attributes) {
  Hasher hasher;
  add_to_hash(hasher, attributes);
  return hasher.finish();
}

TEST(Attributes, GiveWhatWasSet) {
  EXPECT_EQ(kAll.integer("z", 0), 3);
  EXPECT_EQ(kAll.real("r", 0), 0.5F);
  EXPECT_EQ(kAll.text("s", ""), "same");
  EXPECT_EQ(kAll.integers("zs"), std::vector<std::int64_t>({1, 2}));
  EXPECT_EQ(kAll.integers("z"), std::vector<std::int64_t>({3}));
  EXPECT_EQ(kAll.reals("rs"), std::vector<float>({1.5F}));
  EXPECT_EQ(kAll.texts("ss"), std::vector<std::string>({"a", "b"}));
  EXPECT_EQ(kAll.tensor("t").data<float>()[0], 1.0F);
}

TEST(Attributes, HaveDefaults) {
  EXPECT_EQ(kAll.integer("none", 7), 7);
  EXPECT_EQ(kAll.real("none", 0.25F), 0.25F);
  EXPECT_EQ(kAll.text("none", "d"), "d");
  EXPECT_EQ(kAll.integers("none", {4}), std::vector<std::int64_t>({4}));
  EXPECT_TRUE(kAll.reals("none").empty());
  EXPECT_TRUE(kAll.texts("none").empty());
  EXPECT_FALSE(kAll.tensor("none").defined());
}

TEST(Attributes, OfAnotherKindAreRefusedByName) {
  EXPECT_EQ(complaint([] { kAll.integer("r", 0); }),
            "attribute 'r' is a number, expected an integer");
  EXPECT_EQ(complaint([] { kAll.real("z", 0); }), "attribute 'z' is an integer, expected a number");
  EXPECT_EQ(complaint([] { kAll.text("zs", ""); }),
            "attribute 'zs' is a list of integers, expected a text");
  EXPECT_EQ(complaint([] { kAll.integers("rs"); }),
            "attribute 'rs' is a list of numbers, expected a list of integers");
  EXPECT_EQ(complaint([] { kAll.tensor("s"); }), "attribute 's' is a text, expected a tensor");
}

TEST(Attributes, StaySortedWhateverTheOrder) {
  Attributes a;
  a.set("b", std::int64_t{1});
  a.set("a", std::int64_t{2});
  a.set("b", std::int64_t{3});
  EXPECT_EQ(a.size(), 2);
  EXPECT_EQ(a.begin()->first, "a");
  EXPECT_EQ(a, Attributes({{"a", std::int64_t{2}}, {"b", std::int64_t{3}}}));
  a.erase("a");
  a.erase("none");
  EXPECT_FALSE(a.has("a"));
  EXPECT_EQ(a.integer("b", 0), 3);
}

TEST(Attributes, CompareAndHashByContent) {
  Attributes copy = kAll;
  EXPECT_EQ(copy, kAll);
  EXPECT_EQ(hash_of(copy), hash_of(kAll));
  copy.set("t", Tensor::scalar(2.0F));
  EXPECT_NE(copy, kAll);
  EXPECT_NE(hash_of(copy), hash_of(kAll));
  EXPECT_NE(hash_of({{"a", std::vector<std::int64_t>{1}}}), hash_of({{"a", std::int64_t{1}}}));
  EXPECT_NE(hash_of({{"a", std::vector<std::string>{"xy", ""}}}),
            hash_of({{"a", std::vector<std::string>{"x", "y"}}}));
  EXPECT_NE(hash_of({{"a", std::vector<std::int64_t>{}}}), hash_of({{"a", std::vector<float>{}}}));
}

}  // namespace
}  // namespace braid
