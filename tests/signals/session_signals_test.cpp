// Signals that arrive while models run: handlers of the program that we are part of must never see
// a stack that is not their thread's, lanes must never be interrupted, answers stay right.

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <braid/session.h>

#include "onnx/testing/models.h"

namespace braid {
namespace {

using namespace onnx::testing;

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool has(std::uintptr_t at) const { return at >= begin && at < end; }
};

std::atomic<int> delivered = 0;
std::atomic<int> on_lanes = 0;
std::atomic<int> on_foreign_stacks = 0;
thread_local Range own_stack;  // of threads that may be interrupted

void on_signal(int) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  ++delivered;
  if (own_stack.end == 0)
    ++on_lanes;
  else if (!own_stack.has(here))
    ++on_foreign_stacks;
}

Range stack_of_this_thread() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {begin, begin + size};
}

/// Lets the calling thread be interrupted, on its own stack or on another.
class Interruptible {
 public:
  explicit Interruptible(bool own_stack_for_handlers) : bytes_(1 << 16) {
    stack_t stack{};
    stack.ss_sp = bytes_.data();
    stack.ss_size = bytes_.size();
    if (own_stack_for_handlers) {
      sigaltstack(&stack, nullptr);
      const auto begin = reinterpret_cast<std::uintptr_t>(bytes_.data());
      own_stack = {begin, begin + bytes_.size()};
    } else {
      own_stack = stack_of_this_thread();
    }
    mask(SIG_UNBLOCK);
  }
  ~Interruptible() {
    mask(SIG_BLOCK);
    own_stack = {};
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static void mask(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(how, &signals, nullptr);
  }

 private:
  std::vector<char> bytes_;
};

/// Sends signals to all threads of the process but its own until it ends.
class Bombardment {
 public:
  Bombardment() {
    thread_ = std::thread([this] {
      const auto self = std::to_string(::syscall(SYS_gettid));
      while (!stop_)
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
          if (const std::string name = task.path().filename(); name != self) {
            ::syscall(SYS_tgkill, ::getpid(), std::stoi(name), SIGUSR1);
            ++sent_;
          }
    });
  }
  ~Bombardment() {
    stop_ = true;
    thread_.join();
  }
  Bombardment(const Bombardment&) = delete;
  Bombardment& operator=(const Bombardment&) = delete;

  int sent() const { return sent_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> sent_ = 0;
  std::thread thread_;
};

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kDepth = 512;

/// Products of values that are no constants, one after the other and side by side: they are
/// oneDNN's on every instruction set, and of a size for which its kernel for AVX2 has its stack
/// pointer in a buffer.
onnx::proto::ModelProto products() {
  onnx::proto::ModelProto model = onnx::testing::model();
  onnx::proto::GraphProto& graph = *model.mutable_graph();
  const std::string rows = std::to_string(kRows);
  const std::string depth = std::to_string(kDepth);
  *graph.add_input() = value_info("a", {rows, depth});
  *graph.add_input() = value_info("b", {depth, rows});
  *graph.add_output() = value_info("y", {rows, rows});
  for (const auto& each : {node("Tanh", {"b"}, {"c"}), node("MatMul", {"a", "b"}, {"p"}),
                           node("MatMul", {"a", "c"}, {"q"}), node("Softmax", {"p"}, {"r"}),
                           node("Softmax", {"q"}, {"s"}), node("MatMul", {"r", "s"}, {"y"})})
    *graph.add_node() = each;
  return model;
}

Tensor numbers(const Dims& dims, float step) {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, dims});
  float x = -1;
  for (float& element : tensor.mutable_data<float>()) element = (x = x > 1 ? -1 : x + step);
  return tensor;
}

class SessionSignals : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    Interruptible::mask(SIG_BLOCK);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = GetParam() ? SA_ONSTACK : 0;
    sigaction(SIGUSR1, &action, &before_);
    delivered = on_lanes = on_foreign_stacks = 0;
  }
  void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }

  struct sigaction before_{};
};

TEST_P(SessionSignals, NeverDisturbARun) {
  const Folder folder;
  const auto path = folder.write("products.onnx", products().SerializeAsString());
  const std::map<std::string, Tensor> inputs = {{"a", numbers({kRows, kDepth}, 0.37F)},
                                                {"b", numbers({kDepth, kRows}, 0.23F)}};
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(fmt::format("{} threads", threads));
    SessionOptions options;
    options.threads = threads;
    options.scheduler = "wavefront";
    Session session(path, options);
    const Tensor expected = session.run(inputs)[0].second;
    std::atomic<int> wrong = 0;
    const Bombardment bombardment;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 2; ++caller)
      callers.emplace_back([&] {
        const Interruptible interruptible(GetParam());
        for (int run = 0; run < 25; ++run)
          if (!identical(session.run(inputs)[0].second, expected)) ++wrong;
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(bombardment.sent(), 0);
  }
  EXPECT_GT(delivered, 0) << "between runs they are delivered";
  EXPECT_EQ(on_lanes, 0);
  EXPECT_EQ(on_foreign_stacks, 0);
}

INSTANTIATE_TEST_SUITE_P(Handlers, SessionSignals, testing::Bool(), [](const auto& of) {
  return of.param ? "OnTheirOwnStack" : "OnTheStackOfTheThread";
});

}  // namespace
}  // namespace braid
