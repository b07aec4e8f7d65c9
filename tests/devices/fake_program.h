#pragma once

#include <memory>

#include "cost/roofline.h"
#include "tests/devices/fake_device.h"

namespace braid {

/// A Program of the fake device. It keeps copies of what it is given.
std::unique_ptr<Program> make_fake_program(const Graph& lowered, const Plan& plan,
                                           const RooflineCostModel& costs,
                                           const FakeOptions& options);

}  // namespace braid
