#include "sim/stated_interference.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace braid::sim {
namespace {

const std::vector<std::string> kFamilies = {"conv_128x64", "elementwise"};

nlohmann::json json_row(std::string_view first, std::string_view second, double slowdown_first,
                        double slowdown_second) {
  return {{"first", first},
          {"second", second},
          {"slowdown_first", slowdown_first},
          {"slowdown_second", slowdown_second},
          {"source", "measured on a test"}};
}

std::vector<StatedInterference> read(const std::vector<nlohmann::json>& rows) {
  const nlohmann::json json(rows);
  return read_interference(JsonPlace(json, "interference"), kFamilies);
}

std::string refusal_of(const std::vector<nlohmann::json>& rows) {
  try {
    read(rows);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

constexpr KernelKind kConv{"conv_128x64", KernelClass::Compute};
constexpr KernelKind kSgemm{"sgemm_64x64", KernelClass::Compute};
constexpr KernelKind kRelu{"elementwise", KernelClass::Memory};
constexpr KernelKind kPool{"pool", KernelClass::Memory};

TEST(StatedInterference, ClassesCoverAllTheirKernelsInEitherOrder) {
  const auto rows = read({json_row("compute", "memory", 1.05, 1.2)});
  const auto found = stated(rows, kSgemm, kPool);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::pair(found->first, found->second), std::pair(1.05, 1.2));
  EXPECT_EQ(found->row->source, "measured on a test");
  const auto turned = stated(rows, kPool, kSgemm);
  ASSERT_TRUE(turned);
  EXPECT_EQ(std::pair(turned->first, turned->second), std::pair(1.2, 1.05));
  EXPECT_FALSE(stated(rows, kPool, kRelu));
  EXPECT_FALSE(stated(rows, kSgemm, kConv));
}

TEST(StatedInterference, FamiliesGoBeforeClasses) {
  const auto rows =
      read({json_row("compute", "memory", 1.1, 1.1), json_row("conv_128x64", "memory", 1.2, 1.2),
            json_row("elementwise", "conv_128x64", 1.3, 1.4)});
  EXPECT_EQ(stated(rows, kSgemm, kRelu)->first, 1.1);
  EXPECT_EQ(stated(rows, kPool, kConv)->first, 1.2);
  EXPECT_EQ(stated(rows, kConv, kRelu)->first, 1.4);
  EXPECT_EQ(stated(rows, kRelu, kConv)->first, 1.3);
}

TEST(StatedInterference, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal_of({json_row("compute", "fft", 1.1, 1.1)}),
            "interference[0].second: expected \"compute\", \"memory\" or a kernel family of this "
            "file, got 'fft'; it has: conv_128x64, elementwise");
  EXPECT_EQ(refusal_of({json_row("compute", "memory", 0.9, 1.1)}),
            "interference[0].slowdown_first: expected a number from 1 to 10, got 0.9");
  EXPECT_EQ(refusal_of({json_row("compute", "memory", 1.1, 12)}),
            "interference[0].slowdown_second: expected a number from 1 to 10, got 12.0");
  EXPECT_EQ(refusal_of(
                {json_row("compute", "memory", 1.1, 1.2), json_row("memory", "compute", 1.2, 1.1)}),
            "interference[1]: 'memory' beside 'compute' stands there twice: keep one of the rows");
  EXPECT_EQ(
      refusal_of({json_row("memory", "memory", 1.1, 1.2)}),
      "interference[0]: 'memory' beside its like has two slowdowns, 1.1 and 1.2: expected the "
      "same twice");
  nlohmann::json anonymous = json_row("compute", "memory", 1.1, 1.2);
  anonymous["source"] = "";
  EXPECT_EQ(refusal_of({anonymous}),
            "interference[0].source: expected who measured it, and on what");
}

}  // namespace
}  // namespace braid::sim
