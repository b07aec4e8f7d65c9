#include "pipeline/optimise_once.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/kind_of_error.h"
#include "cost/sqlite.h"
#include "devices/open.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "onnx/testing/models.h"
#include "ops/builder.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A convolution in groups, which is faster as one that multiplies with zeros.
constexpr std::string_view kGrouped = R"(
    x: f32[1,32,14,14]
    y = Conv(x, w: f32[32,2,3,3]) group=16 pads=[1,1,1,1]
    return y
)";
/// The same, but for its name.
constexpr std::string_view kRenamed = R"(
    x: f32[1,32,14,14]
    z = Conv(x, w: f32[32,2,3,3]) group=16 pads=[1,1,1,1]
    return z
)";
constexpr std::string_view kNothingToDo = R"(
    x: f32[1,8,4,4]
    y = Relu(x)
    return y
)";

class OptimisedOnce : public ::testing::Test {
 protected:
  OptimisedOnce() {
    options.costs.cache = (folder.path() / "profiles.db").string();
    options.costs.warn = [this](const std::string& warning) { warnings.push_back(warning); };
    options.plan.search_steps = 20;
    options.optimise = OptimiseOptions{.seconds = 0, .candidates = 30};
    options.progress = [this](std::string_view phase, std::int64_t, std::int64_t) {
      searched = searched || phase.starts_with("rewriting");
      made_again = made_again || phase == "making moves again";
      return !cancels || !searched;
    };
  }

  Hash128 hash_of(std::string_view text) {
    searched = made_again = false;
    const auto given = std::make_shared<const Canonical>(canonical(parse(text), *device, options));
    return hash(optimised_once(given, *device, options)->graph, HashWeights::Bytes);
  }
  Hash128 as_given(std::string_view text) const {
    return hash(canonical(parse(text), *device, options).graph, HashWeights::Bytes);
  }

  onnx::testing::Folder folder;
  std::unique_ptr<Device> device = open_device("sim:a100");
  PipelineOptions options;
  std::vector<std::string> warnings;
  bool searched = false;
  bool made_again = false;
  bool cancels = false;
};

TEST_F(OptimisedOnce, SearchesOnceAndThenMakesTheMovesAgain) {
  const Hash128 found = hash_of(kGrouped);
  EXPECT_TRUE(searched);
  EXPECT_NE(found, as_given(kGrouped));
  EXPECT_EQ(hash_of(kGrouped), found);
  EXPECT_FALSE(searched);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(OptimisedOnce, RemembersAlsoThatNothingHelps) {
  EXPECT_EQ(hash_of(kNothingToDo), as_given(kNothingToDo));
  EXPECT_FALSE(made_again);
  EXPECT_EQ(hash_of(kNothingToDo), as_given(kNothingToDo));
  EXPECT_TRUE(made_again);
}

TEST_F(OptimisedOnce, KeepsTheMovesOfOtherNamesSchedulersAndDevicesApart) {
  hash_of(kGrouped);
  EXPECT_NE(hash_of(kRenamed), as_given(kRenamed));
  EXPECT_TRUE(searched);
  options.plan.scheduler = "sequential";
  hash_of(kGrouped);
  EXPECT_TRUE(searched);
  device = open_device("sim:v100");
  hash_of(kGrouped);
  EXPECT_TRUE(searched);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(OptimisedOnce, SearchesAnewWhatCannotBeMadeAgain) {
  const Hash128 found = hash_of(kGrouped);
  for (const char* forged :
       {"'no JSON'", "'{}'", "zeroblob(100)", "replace(moves, 'merge-groups', 'no-such-rule')",
        "replace(moves, '\"y\"', '\"x\"')",
        "replace(moves, '\"parameters\":[', '\"parameters\":[77,')",
        "replace(moves, '\"graph\": \"', '\"graph\": \"0')"}) {
    sqlite::Database(options.costs.cache, sqlite::Database::Open::Existing, 1000)
        .execute(fmt::format("UPDATE moves SET moves = {}", forged).c_str());
    warnings.clear();
    EXPECT_EQ(hash_of(kGrouped), found) << forged;
    EXPECT_TRUE(searched) << forged;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("optimised anew"))) << forged;
  }
}

TEST_F(OptimisedOnce, CanBeStoppedAndThenKeepsNothing) {
  cancels = true;
  EXPECT_EQ(kind_of_error([&] { hash_of(kGrouped); }), ErrorKind::Cancelled);
  cancels = false;
  hash_of(kGrouped);
  EXPECT_TRUE(searched);
}

TEST_F(OptimisedOnce, RefusesWhatNamesOperators) {
  options.plan.edits = "pin y stream 0";
  EXPECT_EQ(kind_of_error([&] { hash_of(kGrouped); }), ErrorKind::Usage);
}

TEST_F(OptimisedOnce, IsAStageOnTheWayToAPlan) {
  const Planned plan = to_plan(parse(kGrouped), *device, options);
  EXPECT_TRUE(searched);
  EXPECT_EQ(hash(plan.graph(), HashWeights::Bytes), hash_of(kGrouped));
  EXPECT_FALSE(searched);
}

}  // namespace
}  // namespace braid
