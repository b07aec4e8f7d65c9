#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls it so
class App;
class ParseError;
}  // namespace CLI

namespace braid::cli {

/// The command line with a flag before every value: `--dim a=1 b=2` is `--dim a=1 --dim b=2`; and
/// `--json` with the file that follows it, if the command takes that as one, or with `-`. In
/// reverse, as CLI11 takes it.
std::vector<std::string> arguments(
    int argc, char** argv,
    const std::function<bool(std::string_view command, std::string_view word)>& is_json_file);

/// What is wrong with a command line, in our words, with the name that was most likely meant.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace braid::cli
