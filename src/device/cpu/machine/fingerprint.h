#pragma once

#include <string>

namespace braid::cpu {

/// The processor with its caches, its instruction set, oneDNN's version, and the lanes.
std::string fingerprint(int lanes, bool is_pinned);

}  // namespace braid::cpu
