#include "cli/signals.h"

#include <atomic>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "base/error.h"

namespace braid::cli {
namespace {

std::atomic<bool> stop_asked = false;

void on_missing_page(int) {
  constexpr std::string_view kMessage =
      "braid: bad model or input: a mapped file (the model or its weights) was cut short while in "
      "use\n";
  if (write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) _exit(1);
  _exit(exit_code(ErrorKind::Model));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

/// The second interrupt ends the process as if nothing had watched for it.
void await_interrupts(const sigset_t& interrupts) {
  int signal = 0;
  sigwait(&interrupts, &signal);
  stop_asked = true;
  sigwait(&interrupts, &signal);
  handle(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &interrupts, nullptr);
  std::raise(signal);
}

}  // namespace

void watch_signals() {
  handle(SIGBUS, on_missing_page);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
  try {
    std::thread([interrupts] { await_interrupts(interrupts); }).detach();
  } catch (const std::system_error&) {  // no thread can be had: Ctrl-C ends the process at once
    pthread_sigmask(SIG_UNBLOCK, &interrupts, nullptr);
  }
}

bool interrupted() { return stop_asked; }

}  // namespace braid::cli
