#pragma once

#include <cstdint>

/// The tables of the profile cache (cost/profile_cache.h), in SQL. docs/formats.md explains them.

namespace braid::profile_tables {

inline constexpr std::int64_t kApplication = 0x42726964;  // "Brid", at byte 68 of the file
inline constexpr std::int64_t kCacheVersion = 2;

inline constexpr const char* kSchema =
    "CREATE TABLE conditions(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE samples(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " alone BLOB NOT NULL, beside BLOB NOT NULL, measured_at INTEGER NOT NULL,"
    " PRIMARY KEY(conditions, signature)) WITHOUT ROWID;"
    "CREATE TABLE cuts(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " exact INTEGER NOT NULL, tried_at INTEGER NOT NULL,"
    " PRIMARY KEY(conditions, signature)) WITHOUT ROWID;"
    "PRAGMA application_id = 1114794340;"
    "PRAGMA user_version = 2;";
/// A query that fails if a table or column is missing.
inline constexpr const char* kEverything =
    "SELECT count(*) FROM samples, conditions, cuts WHERE samples.conditions = id AND "
    "samples.signature = cuts.signature AND cuts.conditions = id AND text = '' AND alone = beside "
    "AND measured_at = tried_at AND exact = 0";
inline constexpr const char* kSelectSamples =
    "SELECT alone, beside, measured_at FROM samples WHERE signature = ?2 AND "
    "conditions = (SELECT id FROM conditions WHERE text = ?1)";
inline constexpr const char* kInsertSamples =
    "INSERT OR REPLACE INTO samples(conditions, signature, alone, beside, measured_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4, ?5)";
/// A cache that was made before rules were counted gets the table when there is something to count.
inline constexpr const char* kMakeRules =
    "CREATE TABLE IF NOT EXISTS rules(name TEXT PRIMARY KEY, fired INTEGER NOT NULL,"
    " gained INTEGER NOT NULL) WITHOUT ROWID";
inline constexpr const char* kHasRules =
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'rules'";
inline constexpr const char* kAddRule =
    "INSERT INTO rules(name, fired, gained) VALUES(?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET "
    "fired = fired + excluded.fired, gained = gained + excluded.gained";
/// The same for tables of texts.
struct TextTable {
  const char* make;
  const char* is_there;
  const char* select;
  const char* insert;
};
inline constexpr TextTable kMoves = {
    "CREATE TABLE IF NOT EXISTS moves(conditions INTEGER NOT NULL, graph TEXT NOT NULL,"
    " moves TEXT NOT NULL, found_at INTEGER NOT NULL, PRIMARY KEY(conditions, graph)) WITHOUT "
    "ROWID",
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'moves'",
    "SELECT moves FROM moves WHERE graph = ?2 AND "
    "conditions = (SELECT id FROM conditions WHERE text = ?1)",
    "INSERT OR REPLACE INTO moves(conditions, graph, moves, found_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)"};
inline constexpr TextTable kWays = {
    "CREATE TABLE IF NOT EXISTS ways(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " fastest TEXT NOT NULL, found_at INTEGER NOT NULL, PRIMARY KEY(conditions, signature)) "
    "WITHOUT ROWID",
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'ways'",
    "SELECT fastest FROM ways WHERE signature = ?2 AND "
    "conditions = (SELECT id FROM conditions WHERE text = ?1)",
    "INSERT OR REPLACE INTO ways(conditions, signature, fastest, found_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)"};
inline constexpr TextTable kPlans = {
    "CREATE TABLE IF NOT EXISTS plans(conditions INTEGER NOT NULL, graph TEXT NOT NULL,"
    " plan TEXT NOT NULL, found_at INTEGER NOT NULL, PRIMARY KEY(conditions, graph)) WITHOUT "
    "ROWID",
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'plans'",
    "SELECT plan, found_at FROM plans WHERE graph = ?2 AND "
    "conditions = (SELECT id FROM conditions WHERE text = ?1)",
    "INSERT OR REPLACE INTO plans(conditions, graph, plan, found_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)"};
/// What a row of `samples` is about: how its operator is modelled (measure/borrowed_ratios.h).
inline constexpr TextTable kOperators = {
    "CREATE TABLE IF NOT EXISTS operators(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " about TEXT NOT NULL, found_at INTEGER NOT NULL, PRIMARY KEY(conditions, signature)) WITHOUT "
    "ROWID",
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'operators'",
    "SELECT signature, about, alone FROM operators JOIN samples USING(conditions, signature) "
    "JOIN conditions ON conditions.id = operators.conditions "
    "WHERE substr(text, 1, length(?1)) = ?1 ORDER BY text, signature LIMIT 4000",
    "INSERT OR REPLACE INTO operators(conditions, signature, about, found_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)"};
/// What is told of a contest in `samples` or a Plan in `plans`. It belongs to a row of the same
/// moment: an older version of Braid, which does not know this table, may have replaced that.
inline constexpr TextTable kContests = {
    "CREATE TABLE IF NOT EXISTS contests(conditions INTEGER NOT NULL, subject TEXT NOT NULL,"
    " how TEXT NOT NULL, held_at INTEGER NOT NULL, PRIMARY KEY(conditions, subject)) WITHOUT "
    "ROWID",
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'contests'",
    "SELECT how FROM contests WHERE subject = ?2 AND held_at = ?3 AND "
    "conditions = (SELECT id FROM conditions WHERE text = ?1)",
    "INSERT OR REPLACE INTO contests(conditions, subject, how, held_at) "
    "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)"};
static_assert(kApplication == 1114794340 && kCacheVersion == 2);

}  // namespace braid::profile_tables
