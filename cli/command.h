#pragma once

#include <functional>
#include <string_view>

#include "cli/option_set.h"

namespace braid::cli {

/// What a subcommand does once its options are read. The result is the exit code.
using Action = std::function<int()>;

/// A row of the table of subcommands: adds its options and returns what to do.
struct Command {
  std::string_view name;
  std::string_view help;      ///< one line
  std::string_view examples;  ///< shown below the options
  Action (*configure)(OptionSet& add);
  std::string_view alias = {};  ///< another spelling of the name
};

Action configure_zoo(OptionSet& add);
Action configure_inspect(OptionSet& add);
Action configure_run(OptionSet& add);
Action configure_profile(OptionSet& add);
Action configure_bench(OptionSet& add);
Action configure_plan(OptionSet& add);
Action configure_optimize(OptionSet& add);
Action configure_rules(OptionSet& add);
Action configure_explain(OptionSet& add);
Action configure_trace(OptionSet& add);
Action configure_report(OptionSet& add);
Action configure_compare(OptionSet& add);
Action configure_operators(OptionSet& add);
Action configure_replay_ios(OptionSet& add);
Action configure_test_onnx(OptionSet& add);

}  // namespace braid::cli
