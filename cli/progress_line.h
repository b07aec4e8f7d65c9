#pragma once

#include "base/progress.h"

namespace braid::cli {

/// A line on standard error that follows long work, shown once the work has taken half a second and
/// only on a terminal. Of a phase "searching: best 1.2" only what stands before the colon is its
/// name, so that it may tell how it gets on. Ctrl-C cancels the work. `quiet` only listens for
/// Ctrl-C.
Progress progress_line(bool quiet);

}  // namespace braid::cli
