#include "cost/sqlite.h"

#include <sqlite3.h>

namespace braid::sqlite {
namespace {

constexpr int kLongestField = 1 << 20;

}  // namespace

Failure Failure::damage(std::string message) { return {SQLITE_CORRUPT, std::move(message)}; }

bool Failure::is_damage() const {
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(const std::filesystem::path& file, Open open, int patience_ms) {
  sqlite3* raw = nullptr;
  // SQLite itself falls back to reading only.
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (open == Open::Create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  handle_.reset(raw);
  if (raw == nullptr) throw Failure{SQLITE_NOMEM, "out of memory"};
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(raw, patience_ms);
  // The file may come from anywhere: nothing that it says is executed.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kLongestField);
}

void Database::fail() const {
  throw Failure{sqlite3_errcode(handle_.get()) & 0xff, sqlite3_errmsg(handle_.get())};
}

bool Database::is_read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }

void Database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* raw = nullptr;
  check(sqlite3_prepare_v2(database.handle_.get(), sql, -1, &raw, nullptr));
  handle_.reset(raw);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail();
}

Statement& Statement::bind(int index, std::string_view text) {
  check(sqlite3_bind_text64(handle_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int index, std::span<const std::byte> bytes) {
  // A null pointer would bind NULL.
  const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
  check(sqlite3_bind_blob64(handle_.get(), index, data, bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  check(sqlite3_bind_int64(handle_.get(), index, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail();
  return false;
}

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Failure&) {  // SQLite has rolled back itself.
    return;
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace braid::sqlite
