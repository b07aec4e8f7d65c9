#pragma once

#include <string>
#include <string_view>

namespace braid::cli {

/// `--json [FILE]`, the same on every command: JSON on standard output instead of the text, or in a
/// file beside it.
struct JsonOutput {
  std::string file;  ///< "-": standard output; empty: no JSON is wanted

  bool wanted() const { return !file.empty(); }
  bool replaces_text() const { return file == "-"; }
  void write(std::string_view text) const;
};

/// Says whether the word behind --json is its file. Commands differ in what else may stand there.
using IsJsonFile = bool (*)(std::string_view word);

/// Any word that is no model.
bool is_no_model(std::string_view word);
/// For commands whose arguments have other endings.
bool ends_in_json(std::string_view word);
/// For commands that read JSON: only `-`, or --json=FILE.
bool is_dash(std::string_view word);

}  // namespace braid::cli
