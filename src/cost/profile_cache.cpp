#include "cost/profile_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/date.h"
#include "base/function_ref.h"
#include "base/text.h"
#include "cost/cache_file.h"
#include "cost/damaged_file.h"
#include "cost/profile_tables.h"
#include "cost/sqlite.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using namespace profile_tables;

constexpr int kPatience_ms = 5000;
constexpr std::size_t kMostSamples = 1000;

/// The times in these bytes; nothing unless they are times.
std::optional<std::vector<double>> times_of(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(double) != 0 || bytes.size() / sizeof(double) > kMostSamples)
    return std::nullopt;
  std::vector<double> times(bytes.size() / sizeof(double));
  if (!times.empty()) std::memcpy(times.data(), bytes.data(), bytes.size());
  const auto is_time = [](double time) { return time > 1e-6 && time < 1e12; };
  if (!std::ranges::all_of(times, is_time)) return std::nullopt;
  return times;
}

enum class Kind { Ours, Empty, Older, Newer, Foreign };

Kind kind_of(sqlite::Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (application == kApplication)
    return version == kCacheVersion  ? Kind::Ours
           : version < kCacheVersion ? Kind::Older
                                     : Kind::Newer;
  const bool is_empty =
      application == 0 && database.number("SELECT count(*) FROM sqlite_master") == 0;
  return is_empty ? Kind::Empty : Kind::Foreign;
}

}  // namespace

class ProfileCache::State {
 public:
  State(fs::path file, Access access, Warn warn)
      : file_(std::move(file)), access_(access), warn_(std::move(warn)) {
    guarded([&] { open(); });
  }

  SamplesBySignature find(std::string_view conditions, const std::vector<std::string>& signatures) {
    SamplesBySignature found;
    guarded([&] {
      found.clear();
      if (!database_) return;
      sqlite::Statement select(*database_, kSelectSamples);
      for (const std::string& signature : signatures)
        if (auto row = read(select, conditions, signature); row && !row->alone.empty())
          found[signature] = {std::move(row->alone), std::move(row->beside)};
    });
    return found;
  }

  std::optional<KeptContest> find_contest(std::string_view conditions,
                                          const std::string& signature) {
    std::optional<KeptContest> found;
    guarded([&] {
      found.reset();
      if (!database_) return;
      sqlite::Statement select(*database_, kSelectSamples);
      auto row = read(select, conditions, signature);
      if (row && !row->alone.empty() && !row->beside.empty())
        found = KeptContest{
            {.champion_us = std::move(row->beside), .challenger_us = std::move(row->alone)},
            row->measured_at,
            how_it_was_held(conditions, signature, row->measured_at)};
    });
    return found;
  }

  std::optional<KeptPlan> find_plan(std::string_view conditions, std::string_view graph) {
    std::optional<KeptPlan> found;
    guarded([&] {
      found.reset();
      if (!database_ || database_->number(kPlans.is_there) == 0) return;
      sqlite::Statement select(*database_, kPlans.select);
      select.bind(1, conditions).bind(2, graph);
      if (!select.step()) return;
      found = KeptPlan{std::string(select.text(0)), select.number(1)};
      found->how = how_it_was_held(conditions, graph, found->settled_at);
    });
    return found;
  }

  ExactnessBySignature find_exactness(std::string_view conditions,
                                      const std::vector<std::string>& signatures) {
    ExactnessBySignature found;
    guarded([&] {
      found.clear();
      if (!database_) return;
      sqlite::Statement statement(*database_,
                                  "SELECT exact FROM cuts WHERE signature = ?2 AND "
                                  "conditions = (SELECT id FROM conditions WHERE text = ?1)");
      for (const std::string& signature : signatures) {
        statement.reset();
        statement.bind(1, conditions).bind(2, signature);
        if (statement.step()) found[signature] = statement.number(0) != 0;
      }
    });
    return found;
  }

  std::vector<RuleUse> find_rule_uses() {
    std::vector<RuleUse> found;
    guarded([&] {
      found.clear();
      if (!database_ || database_->number(kHasRules) == 0) return;
      sqlite::Statement select(*database_, "SELECT name, fired, gained FROM rules ORDER BY name");
      while (select.step())
        found.push_back({std::string(select.text(0)), select.number(1), select.number(2)});
    });
    return found;
  }

  std::optional<std::string> find_text(const TextTable& table, std::string_view conditions,
                                       std::string_view key) {
    std::optional<std::string> found;
    guarded([&] {
      found.reset();
      if (!database_ || database_->number(table.is_there) == 0) return;
      sqlite::Statement select(*database_, table.select);
      select.bind(1, conditions).bind(2, key);
      if (select.step()) found = std::string(select.text(0));
    });
    return found;
  }

  /// Keeps all that `write` writes, or nothing.
  bool keep(const FunctionRef<void()>& write) {
    bool kept = false;
    guarded([&] {
      if (!database_ || !writable_) return;
      kept = write_if_possible(write);
    });
    return kept;
  }
  bool keep(std::string_view conditions, const FunctionRef<void()>& write) {
    return keep([&] {
      sqlite::Statement name(*database_, "INSERT OR IGNORE INTO conditions(text) VALUES(?1)");
      name.bind(1, conditions).step();
      write();
    });
  }

  void write(const std::vector<RuleUse>& more) {
    database_->execute(kMakeRules);
    sqlite::Statement add(*database_, kAddRule);
    for (const RuleUse& use : more) {
      add.reset();
      add.bind(1, use.name).bind(2, use.fired).bind(3, use.gained).step();
    }
  }

  bool keep_text(const TextTable& table, std::string_view conditions, std::string_view key,
                 std::string_view text) {
    return keep(conditions, [&] { write(table, conditions, key, text, seconds_since_1970()); });
  }
  bool keep_plan(std::string_view conditions, std::string_view graph, std::string_view plan,
                 std::string_view how) {
    return keep(conditions, [&] {
      const std::int64_t now = seconds_since_1970();
      write(kPlans, conditions, graph, plan, now);
      write(kContests, conditions, graph, how, now);
    });
  }

  bool keep_about(std::string_view conditions,
                  const std::map<std::string, std::string>& about_signatures) {
    return keep(conditions, [&] {
      for (const auto& [signature, about] : about_signatures)
        write(kOperators, conditions, signature, about, seconds_since_1970());
    });
  }

  std::vector<KeptOperator> find_operators(std::string_view conditions_begin) {
    std::vector<KeptOperator> found;
    guarded([&] {
      found.clear();
      if (!database_ || database_->number(kOperators.is_there) == 0) return;
      sqlite::Statement select(*database_, kOperators.select);
      select.bind(1, conditions_begin);
      while (select.step())
        if (auto alone_us = times_of(select.bytes(2)); alone_us && !alone_us->empty())
          found.push_back(
              {std::string(select.text(0)), std::string(select.text(1)), std::move(*alone_us)});
    });
    return found;
  }

  void write(const TextTable& table, std::string_view conditions, std::string_view key,
             std::string_view text, std::int64_t at) {
    database_->execute(table.make);
    sqlite::Statement insert(*database_, table.insert);
    insert.bind(1, conditions).bind(2, key).bind(3, text).bind(4, at);
    insert.step();
  }

  void write(std::string_view conditions, const SamplesBySignature& samples) {
    sqlite::Statement insert(*database_, kInsertSamples);
    for (const auto& [signature, times] : samples)
      write_row(insert, conditions, signature, times.alone_us, times.beside_us,
                seconds_since_1970());
  }

  void write(std::string_view conditions, const std::string& signature, const ContestTimes& times,
             std::string_view how) {
    const std::int64_t now = seconds_since_1970();
    sqlite::Statement insert(*database_, kInsertSamples);
    write_row(insert, conditions, signature, times.challenger_us, times.champion_us, now);
    write(kContests, conditions, signature, how, now);
  }

  void write(std::string_view conditions, const ExactnessBySignature& found) {
    sqlite::Statement insert(*database_,
                             "INSERT OR REPLACE INTO cuts(conditions, signature, exact, tried_at) "
                             "VALUES((SELECT id FROM conditions WHERE text = ?1), ?2, ?3, ?4)");
    for (const auto& [signature, exact] : found) {
      insert.reset();
      insert.bind(1, conditions).bind(2, signature).bind(3, std::int64_t{exact ? 1 : 0});
      insert.bind(4, seconds_since_1970());
      insert.step();
    }
  }

 private:
  void warn(std::string_view problem) {
    if (!warned_ && warn_)
      warn_(fmt::format("the profile cache {} {}", quote(file_.string()), problem));
    warned_ = true;
  }

  void give_up(std::string_view problem) {
    database_.reset();
    warn(fmt::format("is not used: {}", problem));
  }

  /// Runs `body`, a second time if the file had to be set aside.
  template <class Body>
  void guarded(Body body) {
    try {
      body();
    } catch (const sqlite::Failure& failure) {
      const std::string reason = printable(failure.message);
      database_.reset();
      if (!failure.is_damage() || access_ == Access::Read || repaired_) return give_up(reason);
      if (!is_ours()) return give_up(fmt::format("it is none ({}); it stays as it is", reason));
      repaired_ = true;
      try {
        set_aside(reason);
        body();
      } catch (const sqlite::Failure& again) {
        give_up(printable(again.message));
      }
    }
  }

  /// Whatever lies where only we keep something is ours, too: a power cut may have left anything.
  /// Another process may have set it aside by now.
  bool is_ours() const {
    return file_ == default_profile_cache() || file_identity(file_) != identity_ ||
           is_profile_cache(file_);
  }

  void open() {
    std::error_code ignored;
    const fs::file_status status = fs::status(file_, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) return give_up("it is not a file");
    if (access_ == Access::Read && !fs::exists(status)) return;
    if (access_ == Access::Write && file_.has_parent_path())
      fs::create_directories(file_.parent_path(), ignored);
    identity_ = file_identity(file_);
    using Open = sqlite::Database::Open;
    database_.emplace(file_, access_ == Access::Write ? Open::Create : Open::Existing,
                      kPatience_ms);
    // A killed process loses nothing this way; after a power cut one must at worst measure again.
    database_->execute("PRAGMA synchronous = OFF");
    writable_ = access_ == Access::Write && !database_->is_read_only();
    check();
  }

  void check() {
    // What the file says about itself must be of one moment: another process may be creating it.
    database_->execute("BEGIN");
    const Kind kind = kind_of(*database_);
    database_->execute("COMMIT");
    switch (kind) {
      case Kind::Ours:
        database_->number(kEverything);
        if (access_ == Access::Write && !writable_)
          warn("can only be read: what is measured now is not kept");
        return;
      case Kind::Empty:
        if (writable_) return create();
        database_.reset();
        if (access_ == Access::Write) give_up("it can only be read, and is empty");
        return;
      case Kind::Older:
        if (access_ == Access::Read) return database_.reset();
        throw sqlite::Failure::damage("it is of an older version");
      case Kind::Newer:
        return give_up("it was made by a newer version of Braid");
      case Kind::Foreign:
        return give_up("it is another program's database; it stays as it is");
    }
  }

  void create() {
    sqlite::Transaction transaction(*database_);
    // Another process may have been faster.
    if (kind_of(*database_) == Kind::Empty) database_->execute(kSchema);
    transaction.commit();
  }

  void set_aside(const std::string& reason) {
    const fs::path aside = set_damaged_aside(file_, identity_);
    if (!aside.empty())
      warn(fmt::format("was damaged ({}); it was set aside as {} and is made anew", reason,
                       quote(aside.filename().string())));
    open();
  }

  /// A row of `samples`. In a contest, `alone` is the challenger and `beside` the champion.
  struct Row {
    std::vector<double> alone;
    std::vector<double> beside;
    std::int64_t measured_at = 0;
  };

  /// What was kept with a row of that moment; empty if nothing was.
  std::string how_it_was_held(std::string_view conditions, std::string_view subject,
                              std::int64_t at) {
    if (database_->number(kContests.is_there) == 0) return {};
    sqlite::Statement select(*database_, kContests.select);
    select.bind(1, conditions).bind(2, subject).bind(3, at);
    return select.step() ? std::string(select.text(0)) : std::string();
  }

  /// The row of that signature; nothing if there is none, or one that does not hold times.
  static std::optional<Row> read(sqlite::Statement& select, std::string_view conditions,
                                 const std::string& signature) {
    select.reset();
    select.bind(1, conditions).bind(2, signature);
    if (!select.step()) return std::nullopt;
    auto alone = times_of(select.bytes(0));
    auto beside = times_of(select.bytes(1));
    if (!alone || !beside) return std::nullopt;
    return Row{std::move(*alone), std::move(*beside), select.number(2)};
  }

  static void write_row(sqlite::Statement& insert, std::string_view conditions,
                        const std::string& signature, const std::vector<double>& alone,
                        const std::vector<double>& beside, std::int64_t measured_at) {
    insert.reset();
    insert.bind(1, conditions)
        .bind(2, signature)
        .bind(3, std::as_bytes(std::span(alone)))
        .bind(4, std::as_bytes(std::span(beside)))
        .bind(5, measured_at);
    insert.step();
  }

  bool write_if_possible(const FunctionRef<void()>& write) {
    try {
      sqlite::Transaction transaction(*database_);
      write();
      transaction.commit();
      return true;
    } catch (const sqlite::Failure& failure) {
      if (failure.is_damage()) throw;
      writable_ = false;
      warn(fmt::format("cannot be written ({}): what is measured now is not kept",
                       printable(failure.message)));
      return false;
    }
  }

  fs::path file_;
  Access access_;
  Warn warn_;
  std::optional<sqlite::Database> database_;
  std::uint64_t identity_ = 0;  // of the file that was opened
  bool writable_ = false;
  bool warned_ = false;
  bool repaired_ = false;
};

ProfileCache::ProfileCache(fs::path file, Access access, Warn warn)
    : state_(std::make_unique<State>(std::move(file), access, std::move(warn))) {}
ProfileCache::~ProfileCache() = default;
ProfileCache::ProfileCache(ProfileCache&&) noexcept = default;

SamplesBySignature ProfileCache::find(std::string_view conditions,
                                      const std::vector<std::string>& signatures) {
  return state_->find(conditions, signatures);
}

bool ProfileCache::keep(std::string_view conditions, const SamplesBySignature& samples) {
  return state_->keep(conditions, [&] { state_->write(conditions, samples); });
}

bool ProfileCache::keep_about(std::string_view conditions,
                              const std::map<std::string, std::string>& about_signatures) {
  return state_->keep_about(conditions, about_signatures);
}

std::vector<KeptOperator> ProfileCache::find_operators(std::string_view conditions_begin) {
  return state_->find_operators(conditions_begin);
}

std::optional<KeptContest> ProfileCache::find_contest(std::string_view conditions,
                                                      const std::string& signature) {
  return state_->find_contest(conditions, signature);
}

bool ProfileCache::keep_contest(std::string_view conditions, const std::string& signature,
                                const ContestTimes& times, std::string_view how) {
  return state_->keep(conditions, [&] { state_->write(conditions, signature, times, how); });
}

ExactnessBySignature ProfileCache::find_exactness(std::string_view conditions,
                                                  const std::vector<std::string>& signatures) {
  return state_->find_exactness(conditions, signatures);
}

bool ProfileCache::keep_exactness(std::string_view conditions, const ExactnessBySignature& found) {
  return state_->keep(conditions, [&] { state_->write(conditions, found); });
}

std::optional<std::string> ProfileCache::find_moves(std::string_view conditions,
                                                    std::string_view graph) {
  return state_->find_text(kMoves, conditions, graph);
}

bool ProfileCache::keep_moves(std::string_view conditions, std::string_view graph,
                              std::string_view moves) {
  return state_->keep_text(kMoves, conditions, graph, moves);
}

std::optional<std::string> ProfileCache::find_way(std::string_view conditions,
                                                  std::string_view signature) {
  return state_->find_text(kWays, conditions, signature);
}

bool ProfileCache::keep_way(std::string_view conditions, std::string_view signature,
                            std::string_view fastest) {
  return state_->keep_text(kWays, conditions, signature, fastest);
}

std::optional<KeptPlan> ProfileCache::find_plan(std::string_view conditions,
                                                std::string_view graph) {
  return state_->find_plan(conditions, graph);
}

bool ProfileCache::keep_plan(std::string_view conditions, std::string_view graph,
                             std::string_view plan, std::string_view how) {
  return state_->keep_plan(conditions, graph, plan, how);
}

std::vector<RuleUse> ProfileCache::find_rule_uses() { return state_->find_rule_uses(); }

bool ProfileCache::add_rule_uses(const std::vector<RuleUse>& more) {
  return state_->keep([&] { state_->write(more); });
}

fs::path default_profile_cache() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    const fs::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : fs::path();  // as the XDG specification wants it
  };
  fs::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty()) {
    cache = folder("HOME");
    if (cache.empty()) return {};
    cache /= ".cache";
  }
  return cache / "braid" / "profiles.db";
}

}  // namespace braid
