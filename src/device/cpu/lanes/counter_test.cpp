#include "device/cpu/lanes/counter.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace braid::cpu {
namespace {

TEST(Counter, WakesAllWhoWaitHoweverPatient) {
  for (const Patience& patience : {Patience{}, Patience{.pauses = 1000, .yields = 1000}}) {
    Counter counter;
    int written = 0;
    std::vector<std::thread> threads;
    std::vector<int> seen(4);
    for (int& number : seen)
      threads.emplace_back([&] {
        counter.wait_for(3, patience);
        number = written;
      });
    counter.raise_to(1);
    counter.raise_to(2);
    written = 7;
    counter.raise_to(3);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(seen, std::vector<int>(4, 7));
  }
}

TEST(Counter, LosesNoWakeUp) {
  Counter there;
  Counter back;
  constexpr std::uint32_t kRounds = 3000;
  std::thread other([&] {
    for (std::uint32_t i = 1; i <= kRounds; ++i) {
      there.wait_for(i, {});
      back.raise_to(i);
    }
  });
  for (std::uint32_t i = 1; i <= kRounds; ++i) {
    there.raise_to(i);
    back.wait_for(i, {});
  }
  other.join();
}

TEST(Counter, WrapsAround) {
  Counter counter;
  counter.raise_to(0xffffffff);
  EXPECT_TRUE(counter.reached(0xfffffff0));
  EXPECT_FALSE(counter.reached(1));
  counter.raise_to(1);
  EXPECT_TRUE(counter.reached(0xffffffff));
}

}  // namespace
}  // namespace braid::cpu
