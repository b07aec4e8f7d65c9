#include "device/cpu/lanes/blocked_signals.h"

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>
#include <pthread.h>

namespace braid::cpu {
namespace {

std::atomic<int> delivered = 0;

class Signals : public testing::Test {
 protected:
  void SetUp() override {
    delivered = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { ++delivered; };
    sigaction(SIGUSR2, &action, &before_);
  }
  void TearDown() override { sigaction(SIGUSR2, &before_, nullptr); }

  struct sigaction before_{};
};

TEST_F(Signals, WaitUntilTheEnd) {
  {
    const BlockedSignals blocked;
    std::raise(SIGUSR2);
    EXPECT_EQ(delivered, 0);
  }
  EXPECT_EQ(delivered, 1);
  std::raise(SIGUSR2);
  EXPECT_EQ(delivered, 2) << "the mask is the caller's again";
}

TEST_F(Signals, AreLetThroughInALongRun) {
  BlockedSignals blocked;
  std::raise(SIGUSR2);
  const auto start = std::chrono::steady_clock::now();
  while (delivered == 0 && std::chrono::steady_clock::now() - start < std::chrono::minutes(1))
    blocked.let_through();
  EXPECT_EQ(delivered, 1);
  std::raise(SIGUSR2);
  EXPECT_EQ(delivered, 1) << "and wait again";
}

TEST_F(Signals, ThatTheCallerBlocksStayBlocked) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR2);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &own, &before);
  {
    const BlockedSignals blocked;
  }
  std::raise(SIGUSR2);
  EXPECT_EQ(delivered, 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(delivered, 1);
}

TEST_F(Signals, OfFaultsDoNotWait) {
  const BlockedSignals blocked;
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    EXPECT_EQ(sigismember(&mask, fault), 0) << fault;
  EXPECT_EQ(sigismember(&mask, SIGPROF), 1);
}

}  // namespace
}  // namespace braid::cpu
