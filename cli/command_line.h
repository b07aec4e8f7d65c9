#pragma once

#include <string>

namespace braid::cli {

/// Called once, before anything else looks at the arguments.
void keep_command_line(int argc, char** argv);

/// The command as one would type it into a shell, from "braid" on.
std::string command_line();

}  // namespace braid::cli
