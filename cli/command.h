#pragma once

#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

namespace braid::cli {

/// What a subcommand does once its options are read. The result is the exit code.
using Action = std::function<int()>;

/// A row of the table of subcommands: adds its options to `app` and returns what to do.
struct Command {
  std::string_view name;
  std::string_view help;      ///< one line
  std::string_view examples;  ///< shown below the options
  Action (*configure)(CLI::App& app);
};

Action configure_zoo(CLI::App& app);
Action configure_inspect(CLI::App& app);
Action configure_run(CLI::App& app);
Action configure_compare(CLI::App& app);
Action configure_test_onnx(CLI::App& app);

}  // namespace braid::cli
