#pragma once

#include <cstddef>
#include <span>

namespace braid::cpu {

/// Reads a word of every line, so that the bytes are in the caches as far as they fit.
void touch(std::span<const std::byte> bytes);

}  // namespace braid::cpu
