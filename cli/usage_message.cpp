#include "cli/usage_message.h"

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"

namespace braid::cli {
namespace {

/// Whether a text assigns a number to a name, as the values of --dim and --quota do: batch=1.
bool is_assignment(std::string_view text) {
  const std::size_t sign = text.find('=');
  return sign != std::string_view::npos && sign > 0 && sign + 1 < text.size() &&
         !text.starts_with('-') && std::ranges::all_of(text.substr(sign + 1), [](unsigned char c) {
           return std::isdigit(c) != 0 || c == ',' || c == '=' || std::isalpha(c) != 0 || c == '_';
         });
}

std::string suggestion(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string found = nearest(wanted, names);
  return found.empty() ? "" : fmt::format("; did you mean {}?", found);
}

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
                     suggestion(word, word.starts_with('-') ? option_names(app) : names));
}

std::string unexpected(const CLI::App& command, const std::vector<std::string>& extras) {
  for (const std::string& word : extras)
    if (word.starts_with('-') && word.size() > 1) {
      const std::string flag = word.substr(0, word.find('='));
      return fmt::format("{} has no option {}{}", command.get_name(), quote(flag),
                         suggestion(flag, option_names(command)));
    }
  return fmt::format("{} does not expect the argument {}", command.get_name(),
                     quote(extras.front()));
}

}  // namespace

std::vector<std::string> arguments(
    int argc, char** argv,
    const std::function<bool(std::string_view command, std::string_view word)>& is_json_file) {
  std::vector<std::string> all;
  std::string repeated;  // the flag whose values may follow one another
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--json")
      word +=
          i + 1 < argc && is_json_file(argv[1], argv[i + 1]) ? fmt::format("={}", argv[++i]) : "=-";
    const bool is_value = !repeated.empty() && all.back() == repeated;
    if (word == "--dim" || word == "-f" || word == "--quota")
      repeated = word;
    else if (!repeated.empty() && !is_value && is_assignment(word))
      all.push_back(repeated);
    else if (!is_value)
      repeated.clear();
    all.push_back(word);
  }
  std::reverse(all.begin(), all.end());
  return all;
}

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
