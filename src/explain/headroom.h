#pragma once

#include "explain/subject.h"

namespace braid {

/// What passes of a Plan's time until its first step begins, which no Plan can change.
double start_us(const Timeline& timeline);

/// What any other Plan of the graph might save at most: the predicted time less what passes before
/// the first step and less the greatest lower bound.
double headroom_us(const Subject& subject);

}  // namespace braid
