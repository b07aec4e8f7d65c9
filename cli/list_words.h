#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_row.h"

namespace braid::cli {

/// What is known of a word before anything is parsed.
struct WordRules {
  bool (*is_model)(std::string_view word);      ///< it ends a list
  bool (*is_json_file)(std::string_view word);  ///< it belongs to the --json before it
  bool (*fits)(const OptionRow& argument, const std::string& word);  ///< it may be that argument
};

struct PreparedWords {
  std::vector<std::string> words;
  std::string hint = {};  ///< what may not have been meant, in a sentence
};

/// The words behind a command with the option before each value of its lists: `--dim a=1 b=2` is
/// `--dim a=1 --dim b=2`. A list ends at the next option, at `--`, at a model, and before the word
/// that is missing as an argument. `--json` becomes `--json=FILE` or `--json=-`. Throws Usage if a
/// list has no value before a model.
PreparedWords with_repeated_options(const std::vector<std::string>& words,
                                    std::span<const OptionRow> rows, const WordRules& rules);

}  // namespace braid::cli
