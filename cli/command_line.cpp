#include "cli/command_line.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace braid::cli {
namespace {

std::vector<std::string>& kept() {
  static std::vector<std::string> arguments;
  return arguments;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

std::string shell_quoted(const std::string& argument) {
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) return argument;
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

void keep_command_line(int argc, char** argv) { kept().assign(argv + 1, argv + argc); }

std::string command_line() {
  std::string line = "braid";
  for (const std::string& argument : kept()) line += " " + shell_quoted(argument);
  return line;
}

}  // namespace braid::cli
