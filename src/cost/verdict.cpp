#include "cost/verdict.h"

namespace braid {

Verdict verdict_of(const RatioInterval& times_as_fast) {
  if (times_as_fast.low > 1) return Verdict::Faster;
  return times_as_fast.high < 1 ? Verdict::Slower : Verdict::Tie;
}

RatioInterval inverse(const RatioInterval& of) { return {1 / of.ratio, 1 / of.high, 1 / of.low}; }

}  // namespace braid
