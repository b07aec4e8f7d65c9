#include "measure/fastest_way.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "devices/open.h"
#include "ops/builder.h"

namespace braid {
namespace {

class FastestWayTest : public testing::Test {
 public:
  ~FastestWayTest() override { std::filesystem::remove(cache); }

 protected:
  /// The implementations that the graph is lowered to.
  std::vector<std::string> ways(ProfileOptions options) {
    options.cache = cache;
    FastestWay fastest(graph, *device, options, false);
    const ChooseWay choose = [&](const WayQuestion& question) {
      ++asked;
      const auto all = [&] {
        ++looked;
        return question.all();
      };
      return fastest({question.name, question.first, all});
    };
    const LowerOptions how{.costs = device->modelled_costs(), .choose = choose};
    return ways_of(device->lower(graph, how).graph);
  }

  static std::vector<std::string> ways_of(const Graph& lowered) {
    std::vector<std::string> found;
    for (const NodeId id : lowered.nodes_in_order())
      if (lowered.node(id).op == "Conv") found.push_back(lowered.node(id).lowering.implementation);
    return found;
  }

  FastestWayTest() { std::filesystem::remove(cache); }

  const std::string cache = fmt::format("{}/fastest_way_{}.db", testing::TempDir(), ::getpid());
  std::unique_ptr<Device> device = open_device("cpu");
  Graph graph = parse(R"(
      x: f32[1,64,14,14]
      a = Conv(x, w: f32[64,64,3,3]) pads=[1,1,1,1]
      b = Conv(a, v: f32[64,64,3,3]) pads=[1,1,1,1]
      c = Flatten(b)
      y = Gemm(c, u: f32[12544,40]))");
  int asked = 0;
  int looked = 0;
};

TEST_F(FastestWayTest, MeasuresEqualOperatorsOnceAndRemembersTheAnswer) {
  const auto measured = ways({.measure = true});
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(looked, 2);
  EXPECT_EQ(measured[0], measured[1]);
  looked = 0;
  EXPECT_EQ(ways({}), measured);
  EXPECT_EQ(looked, 0);
}

TEST_F(FastestWayTest, LeavesWhatIsNotKnownAsItIs) {
  EXPECT_EQ(ways({}), ways_of(device->lower(graph, device->modelled_costs())));
  EXPECT_EQ(looked, 0);
}

TEST_F(FastestWayTest, IsNotLedAstrayByADamagedCache) {
  const auto first = ways_of(device->lower(graph, device->modelled_costs()));
  const ChooseWay nonsense = [](const WayQuestion&) {
    return std::vector<std::string>{"no such way", ""};
  };
  const LowerOptions how{.costs = device->modelled_costs(), .choose = nonsense};
  EXPECT_EQ(ways_of(device->lower(graph, how).graph), first);
}

TEST_F(FastestWayTest, CanBeStopped) {
  const ProfileOptions options{
      .measure = true,
      .progress = [](std::string_view, std::int64_t, std::int64_t) { return false; }};
  try {
    ways(options);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
}

}  // namespace
}  // namespace braid
