#include "schedule/launch_search.h"

#include <cmath>

#include <gtest/gtest.h>

#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

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
    return time_us(arrangement_of(tasks, launching));
  }
  static double time_us(const Arrangement& arrangement) {
    double time = 0;
    for (const auto& row : arrangement) {
      time += row.empty() ? 0 : 10;
      for (const Piece& piece : row) time += (piece.launch + piece.task) % 3;
    }
    return time;
  }
  LaunchJudge judge() const {
    return [](const Arrangement& arrangement, double) { return time_us(arrangement); };
  }
  Launching start() const { return launching_of(tasks, schedule("opara", graph, model, device)); }
};

TEST(LaunchSearch, APlanAndItsLaunchingAreTheSame) {
  const Searched searched;
  const Plan plan = schedule("opara", searched.graph, searched.model, searched.device);
  const Arrangement arrangement =
      arrangement_of(searched.tasks, launching_of(searched.tasks, plan));
  EXPECT_EQ(assemble(searched.graph, searched.device, "opara", searched.tasks, arrangement), plan);
}

TEST(LaunchSearch, FindsBetterAndSaysHowGood) {
  const Searched searched;
  const double before = searched.time_us(searched.start());
  const FoundLaunching found =
      improve_launching(searched.start(), searched.tasks, searched.costs, {.streams = 8},
                        searched.judge(), {.steps = 2000, .seconds = 60});
  EXPECT_LT(found.time_us, before);
  EXPECT_EQ(found.time_us, searched.time_us(found.launching));
  EXPECT_EQ(found.search.steps, 2000);
  EXPECT_EQ(found.search.stopped, Stopped::Steps);
}

TEST(LaunchSearch, IsNoWorseThanItsStart) {
  const Searched searched;
  const double last = searched.time_us(searched.start());
  for (int steps : {0, 10, 100, 1000}) {
    const FoundLaunching found =
        improve_launching(searched.start(), searched.tasks, searched.costs, {.streams = 8},
                          searched.judge(), {.steps = steps, .seconds = 60});
    EXPECT_LE(found.time_us, last);
  }
}

TEST(LaunchSearch, ChoosesPrioritiesAndVariants) {
  const Searched searched;
  const LaunchRange range{
      .streams = 8, .priorities = 3, .ways = std::vector<int>(searched.tasks.size(), 4)};
  const LaunchJudge judge = [](const Arrangement& arrangement, double) {
    double time = 100;
    for (const auto& row : arrangement)
      for (const Piece& piece : row) time -= piece.priority + piece.way;
    return time;
  };
  const FoundLaunching found = improve_launching(searched.start(), searched.tasks, searched.costs,
                                                 range, judge, {.steps = 3000, .seconds = 60});
  EXPECT_EQ(found.launching.priority, std::vector<int>(searched.tasks.size(), 2));
  EXPECT_EQ(found.launching.way, std::vector<int>(searched.tasks.size(), 3));
}

TEST(LaunchSearch, TellsTheJudgeFromWhereOnItNeedNotKnow) {
  const Searched searched;
  double worst_kept = 0;
  const LaunchJudge judge = [&](const Arrangement& arrangement, double give_up_us) {
    const double time = Searched::time_us(arrangement);
    if (time <= give_up_us) worst_kept = std::max(worst_kept, time);
    return time <= give_up_us ? time : std::nextafter(give_up_us, 1e300);
  };
  const SearchLimits limits{.steps = 500, .seconds = 60};
  const FoundLaunching found = improve_launching(searched.start(), searched.tasks, searched.costs,
                                                 {.streams = 8}, judge, limits);
  EXPECT_EQ(found.launching.stream,
            improve_launching(searched.start(), searched.tasks, searched.costs, {.streams = 8},
                              searched.judge(), limits)
                .launching.stream);
  EXPECT_GT(worst_kept, 0);
}

TEST(LaunchSearch, GivesPlansThatVerify) {
  const Searched searched;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FoundLaunching found =
        improve_launching(searched.start(), searched.tasks, searched.costs, {.streams = 8},
                          searched.judge(), {.steps = 200, .seconds = 60, .seed = seed});
    verify(searched.graph, assemble(searched.graph, searched.device, "braid", searched.tasks,
                                    arrangement_of(searched.tasks, found.launching)));
  }
}

}  // namespace
}  // namespace braid
