#include "cli/option_row.h"

#include <algorithm>

namespace braid::cli {

bool OptionRow::is_called(std::string_view name) const {
  return std::ranges::find(names, name) != names.end();
}

const std::string& OptionRow::title() const {
  if (is_argument()) return names[0];
  const auto found =
      std::ranges::find_if(names, [](const std::string& name) { return name.starts_with("--"); });
  return found == names.end() ? names[0] : *found;
}

}  // namespace braid::cli
