#pragma once

#include <string>
#include <vector>

#include "explain/explanation.h"

namespace braid {

/// What would make the Plan faster, and what would not: sentences for people who do not know the
/// words of this trade. At least one.
std::vector<std::string> advice_on(const Subject& subject, const Explanation& found);

}  // namespace braid
