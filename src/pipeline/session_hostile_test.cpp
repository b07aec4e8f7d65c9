// What no caller should do to a Session: wrong pointers, many threads, callbacks that throw, forks.

#include <atomic>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <braid/session.h>

#include "onnx/testing/models.h"

namespace braid {
namespace {

using namespace onnx::testing;

const Tensor kInput = Tensor::of<float>({2, 3}, {-2, -1, 0, 1, 2, 3});
const Tensor kOutput = Tensor::of<float>({2, 3}, {0, 0, 0, 1, 2, 3});

class HostileSession : public ::testing::Test {
 protected:
  std::filesystem::path relu_model() const {
    return folder_.write("m.onnx", model_of({node("Relu", {"x"}, {"y"})}).SerializeAsString());
  }
  static bool answers(Session& session) {
    return identical(session.run({{"x", kInput}})[0].second, kOutput);
  }

  Folder folder_;
};

TEST_F(HostileSession, TakesInputsThatAreNotAligned) {
  Session session(relu_model());
  const auto bytes = std::make_shared<std::vector<std::byte>>(25);
  std::copy(kInput.bytes().begin(), kInput.bytes().end(), bytes->begin() + 1);
  const Tensor odd = Tensor::borrow(kInput.type(), bytes->data() + 1, bytes);
  EXPECT_TRUE(identical(session.run({{"x", odd}})[0].second, kOutput));
}

TEST_F(HostileSession, RefusesATensorThatIsNone) {
  Session session(relu_model());
  expect_error(ErrorKind::Model, {"'x'"}, [&] { session.run({{"x", Tensor{}}}); });
  EXPECT_TRUE(answers(session));
}

TEST_F(HostileSession, ReadsOneBufferForSeveralInputs) {
  auto model = model_of({node("Add", {"x", "z"}, {"y"})});
  *model.mutable_graph()->add_input() = value_info("z", {"2", "3"});
  Session session(folder_.write("two.onnx", model.SerializeAsString()));
  EXPECT_TRUE(identical(session.run({{"x", kInput}, {"z", kInput}})[0].second,
                        Tensor::of<float>({2, 3}, {-4, -2, 0, 2, 4, 6})));
}

TEST_F(HostileSession, OutputsDoNotChangeWithLaterRuns) {
  Session session(relu_model());
  const Tensor first = session.run({{"x", kInput}})[0].second;
  session.run({{"x", Tensor::of<float>({2, 3}, {9, 9, 9, 9, 9, 9})}});
  EXPECT_TRUE(identical(first, kOutput));
}

TEST_F(HostileSession, SixtyFourThreadsMayShareIt) {
  Session session(relu_model());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        if (answers(session)) ++right;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 64 * 20);
}

TEST_F(HostileSession, WhatACallbackThrowsComesOut) {
  SessionOptions options;
  options.progress = [](std::string_view, std::int64_t, std::int64_t) -> bool {
    throw std::runtime_error("from the callback");
  };
  EXPECT_THROW(Session(relu_model(), options), std::runtime_error);
}

TEST_F(HostileSession, CanBeStoppedAtAnyMoment) {
  const std::filesystem::path model = relu_model();
  int calls = 0;
  int stop_at = 0;
  SessionOptions options;
  options.progress = [&](std::string_view, std::int64_t, std::int64_t) {
    return ++calls != stop_at;
  };
  {
    const Session unstopped(model, options);
  }
  const int all = calls;
  ASSERT_GT(all, 3);
  for (stop_at = 1; stop_at <= all; ++stop_at) {
    calls = 0;
    expect_error(ErrorKind::Cancelled, {}, [&] { Session session(model, options); });
  }
}

TEST_F(HostileSession, AForkedChildMayEnd) {
  Session session(relu_model());
  ASSERT_TRUE(answers(session));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(answers(session));
}

}  // namespace
}  // namespace braid
