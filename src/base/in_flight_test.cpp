#include "base/in_flight.h"

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(InFlight, EndsAfterTheLastCall) {
  for (int round = 0; round < 100; ++round) {
    std::optional<InFlight> in_flight(std::in_place);
    std::atomic<bool> is_under_way = false;
    bool is_done = false;
    std::thread caller([&] {
      const InFlight::Call call(*in_flight);
      is_under_way = true;
      is_done = true;  // a race with the check below if the end does not wait
    });
    while (!is_under_way) std::this_thread::yield();
    in_flight.reset();
    EXPECT_TRUE(is_done);
    caller.join();
  }
}

}  // namespace
}  // namespace braid
