#pragma once

#include <string>

namespace braid::cpu {

/// The processor, its instruction set, oneDNN's version and our kernels', and the lanes.
std::string fingerprint(int lanes, bool is_pinned);

}  // namespace braid::cpu
