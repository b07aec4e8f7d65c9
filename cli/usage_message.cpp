#include "cli/usage_message.h"

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"

namespace braid::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unknown_command(const CLI::App& app, const std::vector<std::string>& extras) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string& word = extras.front();
  return fmt::format("there is no {} {}{}", word.starts_with('-') ? "option" : "command",
                     quote(word),
                     did_you_mean(word, word.starts_with('-') ? option_names(app) : names));
}

std::string unexpected(const CLI::App& command, const std::vector<std::string>& extras) {
  for (const std::string& word : extras)
    if (word.starts_with('-') && word.size() > 1) {
      const std::string flag = word.substr(0, word.find('='));
      return fmt::format("{} has no option {}{}", command.get_name(), quote(flag),
                         did_you_mean(flag, option_names(command)));
    }
  return fmt::format("{} does not expect the argument {}", command.get_name(),
                     quote(extras.front()));
}

}  // namespace

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty())
      return chosen.empty() ? unknown_command(app, extras) : unexpected(command, extras);
  }
  std::string text = error.what();
  if (const std::size_t required = text.find(": 1 required ");
      required != std::string::npos && text.ends_with(" missing")) {
    const std::size_t type = required + std::string_view(": 1 required ").size();
    std::string wanted =
        text.substr(type, text.size() - type - std::string_view(" missing").size());
    return fmt::format("{} needs a value: {}", text.substr(0, required),
                       wanted == "N"   ? "a whole number"
                       : wanted == "X" ? "a number"
                                       : wanted);
  }
  if (const std::size_t at = text.find(": At Most 1 required but received ");
      at != std::string::npos)
    return fmt::format("{} takes one value and was given {} times", text.substr(0, at),
                       text.substr(text.rfind(' ') + 1));
  if (text == "--model is required")
    return fmt::format("{} needs a model: an ONNX file, or zoo:NAME", command.get_name());
  return text;
}

}  // namespace braid::cli
