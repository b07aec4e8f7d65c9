#pragma once

namespace braid::cli {

/// The first Ctrl-C asks the work under way to stop at its next report of progress; the second ends
/// the process.
void watch_for_interrupt();
bool interrupted();

}  // namespace braid::cli
