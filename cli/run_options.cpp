#include "cli/run_options.h"

#include <fmt/format.h>

#include "cli/profile_options.h"
#include "schedule/schedulers.h"

namespace braid::cli {

void add_run_options(OptionSet& add, RunSettings& settings) {
  add.text("-d,--device", settings.device, "Where to run", "DEVICE");
  add.integer("--threads,-x", settings.device_options.threads,
              "CPU cores to use; 0: all that are allowed", 0, 4096);
  add.text("--pin", settings.pin,
           "Tie lanes to cores: on, off, or auto: if the process may use only some cores", "WHEN");
  std::string names;
  for (const Scheduler& row : schedulers())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  add.text("--scheduler,--schedule", settings.prepare.scheduler, "One of: " + names, "NAME");
  add.flag("--no-canonicalise,--no-canonicalize", settings.no_canonicalise,
           "Run the graph as the file says");
  add.texts("--disable", settings.prepare.disabled_steps, "Leave out a step of canonicalisation",
            "STEP");
  add.texts("--load-inputs,--loadInputs", settings.load_inputs,
            "Inputs: .npz, [NAME:]FILE.npy, [NAME:]FILE.pb, or a folder with input_0.pb, …",
            "FILE");
  add.seed("--seed", settings.random.seed, "Seed of the inputs that are not given");
  add.texts(
      "--val-range", settings.random.ranges,
      "Range of random inputs, [low,high] or NAME:[low,high]; default [-1,1], whole numbers [0,1]",
      "RANGE");
  add_profile_options(add, settings.prepare.profile);
}

std::unique_ptr<Device> open_device(const RunSettings& settings) {
  DeviceOptions options = settings.device_options;
  options.pin = pin_named(settings.pin);
  return braid::open_device(settings.device, options);
}

}  // namespace braid::cli
