#include "schedule/launch_search.h"

#include <gtest/gtest.h>

#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "schedule/testing.h"

namespace braid {
namespace {

struct Searched {
  Graph graph = inception_block();
  DeviceSpec device{.name = "sim", .streams = 8};
  RandomCosts model{3};
  TaskGraph tasks = task_graph(graph);
  PartCosts costs{graph, model, tasks, 1};

  /// Streams that are used, and how far the launch order is from the reverse of the tasks' numbers.
  double time_us(const Launching& launching) const {
    double time = 0;
    const Layout layout = layout_of(tasks, launching);
    for (const auto& row : layout) {
      time += row.empty() ? 0 : 10;
      for (const Piece& piece : row) time += (piece.launch + piece.task) % 3;
    }
    return time;
  }
  LaunchJudge judge() const {
    return [this](const Launching& launching) { return time_us(launching); };
  }
  Launching start() const { return launching_of(tasks, schedule("opara", graph, model, device)); }
};

TEST(LaunchSearch, APlanAndItsLaunchingAreTheSame) {
  const Searched searched;
  const Plan plan = schedule("opara", searched.graph, searched.model, searched.device);
  const Layout layout = layout_of(searched.tasks, launching_of(searched.tasks, plan));
  EXPECT_EQ(assemble(searched.graph, searched.device, "opara", searched.tasks, layout), plan);
}

TEST(LaunchSearch, FindsBetterAndSaysHowGood) {
  const Searched searched;
  const double before = searched.time_us(searched.start());
  const FoundLaunching found = improve(searched.start(), searched.tasks, searched.costs, 8,
                                       searched.judge(), {.steps = 2000, .seconds = 60});
  EXPECT_LT(found.time_us, before);
  EXPECT_EQ(found.time_us, searched.time_us(found.launching));
  EXPECT_EQ(found.steps, 2000);
}

TEST(LaunchSearch, IsNoWorseTheLongerItMaySearch) {
  const Searched searched;
  double last = searched.time_us(searched.start());
  for (int steps : {0, 10, 100, 1000}) {
    const FoundLaunching found = improve(searched.start(), searched.tasks, searched.costs, 8,
                                         searched.judge(), {.steps = steps, .seconds = 60});
    EXPECT_LE(found.time_us, last);
    last = found.time_us;
  }
}

TEST(LaunchSearch, GivesPlansThatVerify) {
  const Searched searched;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FoundLaunching found =
        improve(searched.start(), searched.tasks, searched.costs, 8, searched.judge(),
                {.steps = 200, .seconds = 60, .seed = seed});
    verify(searched.graph, assemble(searched.graph, searched.device, "braid", searched.tasks,
                                    layout_of(searched.tasks, found.launching)));
  }
}

}  // namespace
}  // namespace braid
