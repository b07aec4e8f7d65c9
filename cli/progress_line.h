#pragma once

#include "base/progress.h"

namespace braid::cli {

/// A line on standard error that follows long work, shown once the work has taken half a second and
/// only on a terminal. Ctrl-C cancels the work. `quiet` only listens for Ctrl-C.
Progress progress_line(bool quiet);

}  // namespace braid::cli
