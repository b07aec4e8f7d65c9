#pragma once

#include <functional>
#include <string>

namespace braid {

/// Told of what is not wrong but worth knowing, in a sentence.
using Warn = std::function<void(const std::string& warning)>;

/// Passes each different warning on once. May be called from several threads at once, also by
/// copies; nothing if `warn` is empty.
Warn each_once(Warn warn);

}  // namespace braid
