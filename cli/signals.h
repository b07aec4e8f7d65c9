#pragma once

namespace braid::cli {

/// The first Ctrl-C asks the work under way to stop at its next report of progress; the second ends
/// the process. A file that someone cuts short while it is mapped ends it too, with a message.
/// Ctrl-C is taken on a thread of its own, so no other is interrupted in what it does; comes before
/// any other thread is started.
void watch_signals();
bool interrupted();

}  // namespace braid::cli
