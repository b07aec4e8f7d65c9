#include "cli/interrupt.h"

#include <csignal>

namespace braid::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

void on_interrupt(int) { stop_asked = 1; }

}  // namespace

void watch_for_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return stop_asked != 0; }

}  // namespace braid::cli
