#include "cli/list_values.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cli {
namespace {

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

/// Whether the word is a file, or a name with a file, as it stands: commas in it part nothing.
bool is_one_file(const std::string& word) {
  if (is_there(word)) return true;
  const std::size_t name = std::min(word.find(','), word.size());
  for (std::size_t at = word.find(':'); at < name; at = word.find(':', at + 1))
    if (is_there(word.substr(at + 1))) return true;
  return false;
}

bool has_value(std::string_view item) {
  return item.find_first_of("=:]") != std::string_view::npos;
}

/// Whether the character behind `item` ends it. A blank does so only behind a value, since names
/// may hold blanks.
bool is_end(char c, std::string_view item, ListOf kind) {
  return c == ',' || (kind == ListOf::Bindings && (c == ';' || (c == ' ' && has_value(item))));
}

/// What is between brackets is not parted.
void split(const std::string& word, ListOf kind, std::vector<std::string>& values) {
  std::string item;
  int depth = 0;
  for (const char c : word) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if ((kind == ListOf::Bindings && depth > 0) || !is_end(c, item, kind)) {
      item += c;
      continue;
    }
    if (!item.empty()) values.push_back(std::move(item));
    item.clear();
  }
  if (!item.empty()) values.push_back(std::move(item));
}

/// The name for which this is a value, an empty one if it is for all; nothing if it has no form.
std::optional<std::string> name_in(const std::string& value, ListOf kind) {
  if (kind == ListOf::NamedFiles) {
    const std::size_t colon = is_there(value) ? std::string::npos : value.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    return value.substr(0, colon);
  }
  if (const std::size_t bracket = value.find('['); bracket != std::string::npos)
    return value.substr(0, bracket > 0 && value[bracket - 1] == ':' ? bracket - 1 : bracket);
  const std::size_t sign = value.find_last_of("=:");
  if (sign == std::string::npos) return std::nullopt;
  return value.substr(0, sign);
}

void check_each_once(const std::vector<std::string>& values, ListOf kind,
                     const std::string& option) {
  std::map<std::string, std::string> seen;
  for (const std::string& value : values) {
    const auto name = name_in(value, kind);
    if (!name) continue;
    const auto [other, fresh] = seen.emplace(*name, value);
    if (!fresh)
      raise(ErrorKind::Usage,
            fmt::format("{} gives {} two values, {} and {}; leave one out", option,
                        name->empty() ? "all" : quote(*name), quote(other->second), quote(value)));
  }
}

}  // namespace

std::vector<std::string> list_values(const std::vector<std::string>& words, ListOf kind,
                                     const std::string& option) {
  std::vector<std::string> values;
  for (const std::string& word : words) {
    const bool whole = (kind == ListOf::Files || kind == ListOf::NamedFiles) && is_one_file(word);
    if (whole)
      values.push_back(word);
    else
      split(word, kind, values);
  }
  if (kind == ListOf::NamedFiles || kind == ListOf::Bindings) check_each_once(values, kind, option);
  return values;
}

}  // namespace braid::cli
