#include "cli/json_output.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "base/text.h"
#include "cli/output_path.h"

namespace braid::cli {

void JsonOutput::write(std::string_view text) const {
  if (replaces_text())
    fmt::print("{}", text);
  else
    write_file(file, text);
}

bool is_no_model(std::string_view word) {
  return is_dash(word) || (!word.starts_with('-') && !word.starts_with("zoo:") &&
                           !has_ending_of_model(std::filesystem::path(word)));
}

bool ends_in_json(std::string_view word) {
  return is_dash(word) ||
         (!word.starts_with('-') && lower_case(std::string(word)).ends_with(".json"));
}

bool is_dash(std::string_view word) { return word == "-"; }

}  // namespace braid::cli
