#include "cli/run_options.h"

#include <fmt/format.h>

#include "schedule/schedulers.h"

namespace braid::cli {

void add_run_options(CLI::App& app, RunSettings& settings) {
  app.add_option("-d,--device", settings.device, "Where to run")
      ->capture_default_str()
      ->type_name("DEVICE");
  app.add_option("--threads,-x", settings.device_options.threads,
                 "CPU cores to use; 0: all that are allowed")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  std::string names;
  for (const Scheduler& row : schedulers())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  app.add_option("--scheduler,--schedule", settings.prepare.scheduler, "One of: " + names)
      ->capture_default_str()
      ->type_name("NAME");
  app.add_flag("--no-canonicalise,--no-canonicalize", settings.no_canonicalise,
               "Run the graph as the file says");
  app.add_option("--disable", settings.prepare.disabled_steps,
                 "Leave out a step of canonicalisation")
      ->type_name("STEP");
  app.add_option("--load-inputs,--loadInputs", settings.load_inputs,
                 "Inputs: .npz, [NAME:]FILE.npy, [NAME:]FILE.pb, or a folder with input_0.pb, …")
      ->type_name("FILE");
  app.add_option("--seed", settings.random.seed, "Seed of the inputs that are not given")
      ->capture_default_str();
  app.add_option("--val-range", settings.random.ranges,
                 "Range of random inputs, [low,high] or NAME:[low,high]; default [-1,1], whole "
                 "numbers [0,1]")
      ->type_name("RANGE");
}

}  // namespace braid::cli
