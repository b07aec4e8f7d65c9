#include "ops/catalog.h"

#include <set>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Catalog, NamesEachOperatorOnce) {
  std::set<std::string_view> names;
  for (const OpDef& def : catalog()) EXPECT_TRUE(names.insert(def.name).second) << def.name;
}

TEST(Catalog, EveryOperatorIsWhole) {
  for (const OpDef& def : catalog()) {
    EXPECT_NE(def.infer, nullptr) << def.name;
    EXPECT_NE(def.evaluate, nullptr) << def.name;
    EXPECT_LE(def.min_inputs, def.max_inputs) << def.name;
    EXPECT_LE(def.min_outputs, def.max_outputs) << def.name;
    EXPECT_EQ(def.expand == nullptr, def.needs_expansion == nullptr) << def.name;
    EXPECT_EQ(find_op(def.name), &def);
  }
}

TEST(Catalog, SaysWhatItDoesNotKnow) { EXPECT_EQ(find_op("Frobnicate"), nullptr); }

}  // namespace
}  // namespace braid
