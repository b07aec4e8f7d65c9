#include <atomic>
#include <chrono>
#include <thread>

#include <sys/resource.h>

#include "device/cpu/testing/kernels.h"
#include "ops/testing/random_network.h"
#include "plan/testing/random_plan.h"

/// What takes a minute, or the clock: `./test --full` runs it.

namespace braid::cpu {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Loaded {
  std::unique_ptr<Device> device = make_device({.threads = 2});
  Graph lowered = device->lower(random_network(1, 60), device->modelled_costs());
  std::unique_ptr<Program> program =
      device->compile(lowered, random_plan(lowered, 1, {.streams = 2}));
};

TEST(LanesForLong, SixtyFourThreadsOnOneProgramGetTheirOwnAnswers) {
  if (!is_full()) GTEST_SKIP() << "takes a minute; ./test --full runs it";
  const Loaded loaded;
  const auto end = Clock::now() + std::chrono::seconds(60);
  std::atomic<int> wrong = 0;
  std::atomic<int> runs = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 64; ++i)
    threads.emplace_back([&, i] {
      std::mt19937 random(i);
      const std::vector<Tensor> inputs = {random_tensor({2, 8, 6, 6}, random)};
      const std::vector<Tensor> expected = loaded.program->run(inputs);
      while (Clock::now() < end) {
        const std::vector<Tensor> got = loaded.program->run(inputs);
        if (!std::ranges::equal(got, expected, identical)) ++wrong;
        ++runs;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "of " << runs;
  EXPECT_GT(runs, 64);
}

TEST(LanesForLong, UseNoCoreWhileIdle) {
  if (!is_full()) GTEST_SKIP() << "looks at the clock; ./test --full runs it";
  const Loaded loaded;
  std::mt19937 random(1);
  const std::vector<Tensor> inputs = {random_tensor({2, 8, 6, 6}, random)};
  for (int i = 0; i < 10; ++i) loaded.program->run(inputs);
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(cpu_seconds() - before, 0.02);
}

}  // namespace
}  // namespace braid::cpu
