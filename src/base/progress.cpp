#include "base/progress.h"

#include <string>

#include "base/error.h"

namespace braid {

void report(const Progress& progress, std::string_view phase, std::int64_t done,
            std::int64_t total) {
  if (progress && !progress(phase, done, total))
    raise(ErrorKind::Cancelled, "stopped while " + std::string(phase));
}

}  // namespace braid
