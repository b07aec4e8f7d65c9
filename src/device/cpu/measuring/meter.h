#pragma once

#include "device/meter.h"

namespace braid::cpu {

const Meter& meter();

}  // namespace braid::cpu
