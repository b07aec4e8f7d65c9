#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace braid::bench {

/// Why there is no such network: the zoo's message. Nothing if there is one.
std::optional<std::string> missing_network(std::string_view name);

/// A network of the zoo; "inception-v3@224" is one for images of that size.
Graph build_network(std::string_view name, std::int64_t batch);

}  // namespace braid::bench
