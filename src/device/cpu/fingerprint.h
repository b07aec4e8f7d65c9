#pragma once

#include <string>

namespace braid::cpu {

/// The processor, its instruction set, oneDNN's version and our kernels', and the number of lanes.
std::string fingerprint(int lanes);

}  // namespace braid::cpu
