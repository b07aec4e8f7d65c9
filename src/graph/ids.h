#pragma once

#include "base/ids.h"

namespace braid {

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;

}  // namespace braid
