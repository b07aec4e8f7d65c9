#include <gmock/gmock.h>

#include "devices/open.h"
#include "ops/catalog.h"
#include "tests/devices/checks.h"
#include "tests/devices/fake_device.h"

/// What every device must do, and the devices that do.

namespace braid {
namespace {

/// The fake device and all that compute, each with more streams than a small machine has cores.
std::vector<DeviceUnderTest> devices_under_test() {
  std::vector<DeviceUnderTest> devices = {{"fake", [] { return make_fake_device(); }}};
  for (const DeviceRow& row : device_rows()) {
    const auto open = [&row] { return row.make(row.example, {.threads = 3}); };
    if (!open()->is_simulated()) devices.push_back({std::string(row.name), open});
  }
  return devices;
}

template <class Parameter>
std::string name_of(const testing::TestParamInfo<Parameter>& test) {
  const auto& [device, what] = test.param;
  return device.name + "_" + std::string(what);
}

class EveryDevice : public testing::TestWithParam<std::tuple<DeviceUnderTest, std::string_view>> {};

std::vector<std::string_view> names_of_checks() {
  std::vector<std::string_view> names;
  for (const Check& check : checks()) names.push_back(check.name);
  return names;
}

TEST_P(EveryDevice, Conforms) {
  const auto& [device, name] = GetParam();
  for (const Check& check : checks())
    if (check.name == name) {
      EXPECT_THAT(check.run(device), testing::IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryDevice,
                         testing::Combine(testing::ValuesIn(devices_under_test()),
                                          testing::ValuesIn(names_of_checks())),
                         [](const auto& test) { return name_of(test); });

class EveryOperatorOfADevice
    : public testing::TestWithParam<std::tuple<DeviceUnderTest, std::string_view>> {};

std::vector<std::string_view> names_of_operators() {
  std::vector<std::string_view> names;
  for (const OpDef& def : catalog()) names.push_back(def.name);
  return names;
}

TEST_P(EveryOperatorOfADevice, RunsAsItEvaluatesInEveryPlan) {
  const auto& [device, op] = GetParam();
  const Generator* generator = find_generator(op);
  ASSERT_NE(generator, nullptr) << "write a generator in tests/ops for " << op;
  EXPECT_THAT(check_operator(*device.open(), *generator, is_full() ? 66 : 12), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryOperatorOfADevice,
                         testing::Combine(testing::ValuesIn(devices_under_test()),
                                          testing::ValuesIn(names_of_operators())),
                         [](const auto& test) { return name_of(test); });

}  // namespace
}  // namespace braid
