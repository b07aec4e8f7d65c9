#include "measure/cut_order.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/cost_table_json.h"
#include "cost/signature.h"
#include "devices/open.h"
#include "graph/hash.h"
#include "measure/profile.h"
#include "ops/builder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A convolution that its kernel cuts by rows or by channels, on two lanes.
class CutOrder : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(costs); }

  const Lowering& lowering() const { return lowered.node(conv).lowering; }

  /// What is found if two parts by the cut at each place take so long.
  Profile profile_with(double first_us, double second_us) const {
    CostTable table({std::shared_ptr<void>(), &device->modelled_costs()});
    table.add(signature(lowered, conv, 2), {"Conv", first_us, first_us, first_us, 1});
    table.add(signature(with_cut_first(lowered, 1), conv, 2),
              {"Conv", second_us, second_us, second_us, 1});
    std::ofstream(costs) << to_json(table, "made up");
    return profile(lowered, *device, {.use_cache = false, .costs = costs});
  }

  std::unique_ptr<Device> device = open_device("cpu", {.threads = 2});
  Graph lowered = device->lower(parse(R"(
      x: f32[1,32,16,16]
      y = Conv(x, w: f32[256,32,3,3]) pads=[1,1,1,1])"),
                                device->modelled_costs());
  NodeId conv = lowered.value(lowered.find("w")).consumers.front();
  std::string costs = testing::TempDir() + std::string("braid-cut-order-") +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(CutOrder, ThereIsAChoice) {
  ASSERT_EQ(lowering().cuts.size(), 2U);
  EXPECT_EQ(most_cuts(lowered), 2U);
}

TEST_F(CutOrder, PutsACutBeforeTheOthers) {
  const std::vector<Cut> cuts = lowering().cuts;
  const Graph other = with_cut_first(lowered, 1);
  EXPECT_THAT(other.node(conv).lowering.cuts, ElementsAre(cuts[1], cuts[0]));
  EXPECT_EQ(with_cut_first(lowered, 2).node(conv).lowering, lowering());
}

TEST_F(CutOrder, IsThatOfTimes) {
  const std::vector<Cut> cuts = lowering().cuts;
  const Profile found = profile_with(100, 80);
  EXPECT_THAT(found.faster, ElementsAre(FasterCut{signature(lowered, conv), cuts[1]}));
  const Graph settled = with_settled_cuts(lowered, found);
  EXPECT_EQ(cut_into(settled, conv, 2), cuts[1]);
  EXPECT_EQ(found.costs.cost(settled, conv, 2).time_us, 80);
}

/// Plans that were saved before parts were measured are followed afterwards.
TEST_F(CutOrder, DoesNotMakeAnotherGraph) {
  EXPECT_EQ(hash(with_cut_first(lowered, 1), HashWeights::TypesOnly),
            hash(lowered, HashWeights::TypesOnly));
}

TEST_F(CutOrder, StaysForALittleTime) {
  EXPECT_THAT(profile_with(100, 99).faster, IsEmpty());
  EXPECT_THAT(profile_with(80, 100).faster, IsEmpty());
}

TEST_F(CutOrder, StaysIfNothingIsKnown) {
  EXPECT_THAT(profile(lowered, *device, {.use_cache = false}).faster, IsEmpty());
}

}  // namespace
}  // namespace braid
