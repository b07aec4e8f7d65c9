#include "cli/signals.h"

#include <csignal>
#include <string_view>

#include <unistd.h>

#include "base/error.h"

namespace braid::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

void on_interrupt(int) { stop_asked = 1; }

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

}  // namespace

void watch_signals() {
  handle(SIGINT, on_interrupt);
  handle(SIGBUS, on_missing_page);
}

bool interrupted() { return stop_asked != 0; }

}  // namespace braid::cli
