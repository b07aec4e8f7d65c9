#include "cost/cache_file.h"

#include <array>
#include <fstream>

#include "cost/profile_tables.h"
#include "cost/sqlite.h"

namespace braid {
namespace {

constexpr std::string_view kMark("SQLite format 3\0", 16);
constexpr std::size_t kApplicationAt = 68;

/// The first bytes of a database; as many as there are.
std::string head_of(const std::filesystem::path& file) {
  std::array<char, 100> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(stream.gcount())};
}

bool is_empty_database(const std::filesystem::path& file) {
  try {
    sqlite::Database database(file, sqlite::Database::Open::Existing, 1000);
    return database.number("PRAGMA application_id") == 0 &&
           database.number("SELECT count(*) FROM sqlite_master") == 0;
  } catch (const sqlite::Failure&) {
    return false;
  }
}

bool has_our_head(std::string_view head) {
  if (!head.starts_with(kMark) || head.size() < kApplicationAt + 4) return false;
  std::int64_t application = 0;
  for (const char byte : head.substr(kApplicationAt, 4))
    application = application << 8 | static_cast<unsigned char>(byte);
  return application == profile_tables::kApplication;
}

}  // namespace

bool is_profile_cache(const std::filesystem::path& file) { return has_our_head(head_of(file)); }

std::optional<std::string> why_no_cache(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (!std::filesystem::exists(status)) return std::nullopt;
  if (!std::filesystem::is_regular_file(status)) return "is not a file";
  const std::string head = head_of(file);
  if (head.empty() || has_our_head(head)) return std::nullopt;
  if (!head.starts_with(kMark)) return "is not a profile cache";
  if (is_empty_database(file)) return std::nullopt;
  return "is another program's database";
}

}  // namespace braid
