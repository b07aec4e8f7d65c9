#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/option_row.h"

namespace braid::cli {

/// What --help prints for a command: its arguments, its options in sections, and examples, in lines
/// of at most 96 columns.
std::string help_text(std::string_view command, std::string_view what_it_does,
                      std::span<const OptionRow> rows, std::string_view examples);

struct NamedText {
  std::string name;
  std::string text;
};

/// What --help prints without a command: the options, the commands and the footer.
std::string overview_text(std::string_view what_it_is, std::span<const OptionRow> rows,
                          std::span<const NamedText> commands, std::string_view footer);

}  // namespace braid::cli
