#pragma once

#include <string_view>

namespace braid {

/// The implementation of a node for which a device has no kernel: the operator's own definition
/// (OpDef::evaluate), which is right but slow.
inline constexpr std::string_view kReferenceImplementation = "evaluate";

}  // namespace braid
