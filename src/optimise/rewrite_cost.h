#pragma once

namespace braid {

/// What a search makes small before a judge looks: the sum of all operators (TASO), the longest row
/// of operators that wait for one another, or AutoGraph's mixture of both.
enum class RewriteCost { Sum, CriticalPath, Mixed };

}  // namespace braid
