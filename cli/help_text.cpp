#include "cli/help_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid::cli {
namespace {

constexpr std::size_t kColumns = 96;
constexpr std::size_t kTextColumn = 30;

constexpr std::array kSections = {std::pair{Section::What, "What to run"},
                                  std::pair{Section::How, "How to run it"},
                                  std::pair{Section::Print, "What to print and write"}};

/// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

/// The text in lines, all but the first indented to the column of texts.
std::string wrapped(std::string_view text) {
  std::string out;
  std::size_t column = kTextColumn;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool starts_line = column == kTextColumn;
    if (!starts_line && column + 1 + width_of(word) > kColumns) {
      out += "\n" + std::string(kTextColumn, ' ');
      column = kTextColumn;
    } else if (!starts_line) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
  }
  return out + "\n";
}

std::vector<std::string> other_names(const OptionRow& row) {
  std::vector<std::string> names;
  for (const std::string& name : row.names)
    if (name != row.title() && (row.is_argument() || name.starts_with("--"))) names.push_back(name);
  return names;
}

std::string label_of(const OptionRow& row) {
  if (row.is_argument()) return "  " + row.title() + (row.takes == Takes::List ? "..." : "");
  const auto letter = std::ranges::find_if(
      row.names, [](const std::string& name) { return !name.starts_with("--"); });
  std::string label = letter == row.names.end() ? "      " : "  " + *letter + ", ";
  label += row.title();
  if (!row.type.empty()) label += " " + row.type;
  if (row.takes == Takes::List) label += "...";
  return label;
}

std::string text_of(const OptionRow& row) {
  std::string text = row.help;
  if (!row.usual.empty()) text += fmt::format(" [{}]", row.usual);
  for (const std::string& condition : row.conditions) text += fmt::format("; {}", condition);
  if (const auto names = other_names(row); !names.empty())
    text += fmt::format("; also {}", fmt::join(names, ", "));
  return text;
}

std::string entry(std::string label, std::string_view text) {
  if (label.size() + 2 > kTextColumn)
    label += "\n" + std::string(kTextColumn, ' ');
  else
    label.resize(kTextColumn, ' ');
  return label + wrapped(text);
}

std::string entry(const OptionRow& row) { return entry(label_of(row), text_of(row)); }

std::string usage(std::string_view command, std::span<const OptionRow> rows) {
  std::string line = fmt::format("Usage: braid {} [OPTIONS]", command);
  for (const OptionRow& row : rows) {
    if (!row.is_argument()) continue;
    const std::string name = row.names[0] + (row.takes == Takes::List ? "..." : "");
    line += row.required ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

}  // namespace

std::string help_text(std::string_view command, std::string_view what_it_does,
                      std::span<const OptionRow> rows, std::string_view examples) {
  std::string text = fmt::format("{}\n\n{}", what_it_does, usage(command, rows));
  std::string arguments;
  for (const OptionRow& row : rows)
    if (row.is_argument()) arguments += entry(row);
  if (!arguments.empty()) text += "\n" + arguments;
  for (const auto& [section, title] : kSections) {
    std::string entries;
    for (const OptionRow& row : rows)
      if (!row.is_argument() && row.section == section) entries += entry(row);
    if (!entries.empty()) text += fmt::format("\n{}:\n{}", title, entries);
  }
  return text + fmt::format("\nExamples:\n{}", examples);
}

std::string overview_text(std::string_view what_it_is, std::span<const OptionRow> rows,
                          std::span<const NamedText> commands, std::string_view footer) {
  std::string text = fmt::format("{}\n\nUsage: braid [OPTIONS] COMMAND\n\nOptions:\n", what_it_is);
  for (const OptionRow& row : rows) text += entry(row);
  text += "\nCommands:\n";
  for (const NamedText& command : commands) text += entry("  " + command.name, command.text);
  return fmt::format("{}\n{}\n", text, footer);
}

}  // namespace braid::cli
