#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace braid {

/// Reads JSON that comes from outside. Throws Model if it is not valid, nested deeper than `depth`,
/// or an object has a key twice; Quota if it is longer than 256 MiB.
nlohmann::json parse_json(std::string_view text, int depth = 16);

/// The JSON on one line, with bytes that are not UTF-8 replaced.
std::string one_line(const nlohmann::ordered_json& json);
/// The JSON indented, in ASCII, with bytes that are not UTF-8 replaced and a newline at the end.
std::string json_text(const nlohmann::ordered_json& json);

/// The number, or null: JSON has no others than finite ones.
nlohmann::ordered_json json_number(double x);

/// A place in parsed JSON that knows its path, so that every error says where:
/// "streams[1][3].waits[0]: expected a whole number, got a text". Errors are of kind Model. The
/// JSON must outlive it.
class JsonPlace {
 public:
  explicit JsonPlace(const nlohmann::json& root, std::string path = {})
      : json_(&root), path_(std::move(path)) {}

  /// Throws unless this is an object that has no other keys than these.
  void expect_keys(std::initializer_list<std::string_view> allowed) const;
  bool has(std::string_view key) const;
  /// Throws if the key is missing.
  JsonPlace operator[](std::string_view key) const;
  /// The keys of an object, sorted.
  std::vector<std::string> keys() const;

  /// The length of a list.
  std::size_t size() const;
  JsonPlace at(std::size_t index) const;

  bool is_text() const;
  std::string text() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most,
                       std::int64_t otherwise) const {
    return has(key) ? (*this)[key].integer(least, most) : otherwise;
  }
  /// A number, whole or not.
  double real(double least, double most) const;

  const std::string& path() const { return path_; }
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  [[noreturn]] void expected(std::string_view what) const;

  const nlohmann::json* json_;
  std::string path_;
};

}  // namespace braid
