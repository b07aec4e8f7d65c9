#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace braid {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 28;

/// Checks depth and keys while the parser goes through the text.
class Guard {
 public:
  explicit Guard(int depth) : depth_(depth) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth >= depth_)
      raise(ErrorKind::Model, fmt::format("the JSON is nested more than {} levels deep", depth_));
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second)
      raise(ErrorKind::Model, fmt::format("the JSON has the key {} twice in one object",
                                          quote(parsed.get<std::string>())));
    return true;
  }

 private:
  int depth_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

std::string_view kind_of(const nlohmann::json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a text";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    case nlohmann::json::value_t::number_float:
      return "a fraction or a number that is too large";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return "a whole number";
    default:
      return "nothing";
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, int depth) {
  if (text.size() > kLongestText)
    raise(ErrorKind::Quota,
          fmt::format("the JSON has {} bytes; at most {} are read", text.size(), kLongestText));
  try {
    Guard guard(depth);
    return nlohmann::json::parse(text.begin(), text.end(), std::ref(guard));
  } catch (const nlohmann::json::exception& error) {
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));  // its own error number
    raise(ErrorKind::Model, "this is not valid JSON: " + printable(what));
  }
}

std::string one_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json json_number(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

void JsonPlace::expect_keys(std::initializer_list<std::string_view> allowed) const {
  if (!json_->is_object()) expected("an object");
  for (const auto& item : json_->items())
    if (std::find(allowed.begin(), allowed.end(), item.key()) == allowed.end())
      fail(fmt::format("unknown key {}", quote(item.key())));
}

bool JsonPlace::has(std::string_view key) const {
  if (!json_->is_object()) expected("an object");
  return json_->contains(key);
}

JsonPlace JsonPlace::operator[](std::string_view key) const {
  if (!json_->is_object()) expected("an object");
  const auto found = json_->find(key);
  if (found == json_->end()) fail(fmt::format("the key '{}' is missing", key));
  return JsonPlace(*found, path_.empty() ? printable(key) : path_ + "." + printable(key));
}

std::vector<std::string> JsonPlace::keys() const {
  if (!json_->is_object()) expected("an object");
  std::vector<std::string> keys;
  for (const auto& item : json_->items()) keys.push_back(item.key());
  return keys;
}

std::size_t JsonPlace::size() const {
  if (!json_->is_array()) expected("a list");
  return json_->size();
}

JsonPlace JsonPlace::at(std::size_t index) const {
  return JsonPlace((*json_)[index], fmt::format("{}[{}]", path_, index));
}

bool JsonPlace::is_text() const { return json_->is_string(); }

std::string JsonPlace::text() const {
  if (!json_->is_string()) expected("a text");
  return json_->get<std::string>();
}

std::int64_t JsonPlace::integer(std::int64_t least, std::int64_t most) const {
  if (!json_->is_number_integer()) expected("a whole number");
  const bool fits = !json_->is_number_unsigned() ||
                    json_->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
  if (!fits || json_->get<std::int64_t>() < least || json_->get<std::int64_t>() > most)
    fail(fmt::format("expected a whole number from {} to {}, got {}", least, most, json_->dump()));
  return json_->get<std::int64_t>();
}

double JsonPlace::real(double least, double most) const {
  if (!json_->is_number()) expected("a number");
  const auto number = json_->get<double>();
  const bool fits = number >= least && number <= most;
  if (!fits)
    fail(fmt::format("expected a number from {} to {}, got {}", least, most, json_->dump()));
  return number;
}

void JsonPlace::fail(std::string_view problem) const {
  raise(ErrorKind::Model,
        path_.empty() ? std::string(problem) : fmt::format("{}: {}", path_, problem));
}

void JsonPlace::expected(std::string_view what) const {
  fail(fmt::format("expected {}, got {}", what, kind_of(*json_)));
}

}  // namespace braid
