#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 calls it so
class App;
class ParseError;
}  // namespace CLI

namespace braid::cli {

/// What is wrong with a command line, in our words, with the name that was most likely meant.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace braid::cli
