#include "device/cpu/lanes/admission.h"

#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace braid::cpu {
namespace {

TEST(Admission, TellsHowManyRunsAreUnderWay) {
  Admission admission(3);
  const Admission::Turn first(admission);
  EXPECT_EQ(first.under_way(), 1);
  {
    const Admission::Turn second(admission);
    EXPECT_EQ(second.under_way(), 2);
  }
  const Admission::Turn third(admission);
  EXPECT_EQ(third.under_way(), 2);
}

TEST(Admission, LetsThemInAsTheyCame) {
  Admission admission(1);
  std::optional<Admission::Turn> turn(std::in_place, admission);
  std::vector<int> order;  // one at a time, so that no lock is needed
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      const Admission::Turn mine(admission);
      order.push_back(i);
    });
    while (admission.waiting() <= i) std::this_thread::yield();
  }
  turn.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(admission.waiting(), 0);
}

}  // namespace
}  // namespace braid::cpu
