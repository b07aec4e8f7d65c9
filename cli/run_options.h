#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/option_set.h"
#include "cli/tensor_files.h"
#include "device/device.h"
#include "pipeline/prepare.h"

namespace braid::cli {

/// How a command runs models: the device, the scheduler, the steps before them, and the inputs.
struct RunSettings {
  std::string device = "cpu";
  DeviceOptions device_options;
  std::string pin = "auto";
  PrepareOptions prepare;
  bool no_canonicalise = false;
  std::vector<std::string> load_inputs;
  RandomInputs random;
};

void add_run_options(OptionSet& add, RunSettings& settings);
std::unique_ptr<Device> open_device(const RunSettings& settings);

}  // namespace braid::cli
