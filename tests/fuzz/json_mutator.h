#pragma once

#include <cstddef>
#include <cstdint>

namespace braid::fuzz {

/// Changes JSON after the first byte, mostly so that it stays JSON: numbers, and elements that
/// move, double or go. Texts are exchanged for others of the same document.
std::size_t mutate_json_bytes(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed);

}  // namespace braid::fuzz
