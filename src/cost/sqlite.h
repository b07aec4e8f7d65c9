#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// The one door to SQLite: handles that close themselves, and its codes as an exception that stays
/// within this folder.
namespace braid::sqlite {

struct Failure {
  int code = 0;  ///< SQLite's primary result code
  std::string message;

  static Failure damage(std::string message);
  /// Whether the file is damaged, or is another database: what is asked for is not in it.
  bool is_damage() const;
};

class Database {
 public:
  enum class Open { Existing, Create };
  /// Opens a database; read-only if the file or its folder can only be read. Waits up to
  /// `patience_ms` for other writers. Throws Failure.
  Database(const std::filesystem::path& file, Open open, int patience_ms);

  bool is_read_only() const;
  void execute(const char* sql);
  /// The number in the first column of the first row; 0 if there is none.
  std::int64_t number(const char* sql);

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  [[noreturn]] void fail() const;

  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. What is bound is copied, or must outlive the next step.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::span<const std::byte> bytes);
  Statement& bind(int index, std::int64_t number);

  /// Goes to the next row. True if there is one.
  bool step();
  /// A column of the current row; valid until the next step.
  std::string_view text(int column) const;
  std::span<const std::byte> bytes(int column) const;
  std::int64_t number(int column) const;
  void reset();

 private:
  void check(int code) const;

  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalise> handle_;
};

/// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  /// Takes the right to write at once.
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace braid::sqlite
