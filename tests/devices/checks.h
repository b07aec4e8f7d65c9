#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/devices/subject.h"
#include "tests/ops/accepted.h"

namespace braid {

/// Something that holds for every device that computes. A check knows nothing of a device but
/// device/device.h, and tells what does not hold; nothing if all is well.
struct Check {
  std::string_view name;  ///< what holds, as the name of a test
  std::vector<std::string> (*run)(const DeviceUnderTest& tried);
};
const std::vector<Check>& checks();

/// The same for one operator: random uses of it, each in several Plans, give what `evaluate` gives,
/// and no Plan changes a bit.
std::vector<std::string> check_operator(const Device& device, const Generator& generator,
                                        int draws);

// Checks of Plans.
std::vector<std::string> check_networks(const DeviceUnderTest& tried);
std::vector<std::string> check_movement(const DeviceUnderTest& tried);
std::vector<std::string> check_schedulers(const DeviceUnderTest& tried);
std::vector<std::string> check_poison(const DeviceUnderTest& tried);
std::vector<std::string> check_traces(const DeviceUnderTest& tried);

// Checks of Programs.
std::vector<std::string> check_new_inputs(const DeviceUnderTest& tried);
std::vector<std::string> check_faults(const DeviceUnderTest& tried);
std::vector<std::string> check_callers(const DeviceUnderTest& tried);
std::vector<std::string> check_programs_together(const DeviceUnderTest& tried);
std::vector<std::string> check_programs_that_stay(const DeviceUnderTest& tried);

}  // namespace braid
