#include "base/each_once.h"

#include <memory>
#include <mutex>
#include <set>

namespace braid {

Warn each_once(Warn warn) {
  if (!warn) return {};
  struct Told {
    std::mutex mutex;
    std::set<std::string> warnings;
  };
  return [warn = std::move(warn), told = std::make_shared<Told>()](const std::string& warning) {
    const std::lock_guard lock(told->mutex);
    if (told->warnings.insert(warning).second) warn(warning);
  };
}

}  // namespace braid
