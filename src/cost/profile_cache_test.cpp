#include "cost/profile_cache.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cost/cache_file.h"
#include "cost/sqlite.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using Access = ProfileCache::Access;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SamplesBySignature kTwo = {{"Relu(f32[4])", {{3, 1.5, 2}, {4}}}, {"Add(f32[4])", {{7}, {}}}};
const std::vector<std::string> kNames = {"Add(f32[4])", "Conv", "Relu(f32[4])"};

/// Runs `body` in another process; its result is the exit code.
template <class Body>
pid_t in_another_process(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "braid-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    file = folder / "profiles.db";
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }

  ProfileCache open(Access access = Access::Write) {
    return {file, access, [this](const std::string& warning) { warnings.push_back(warning); }};
  }
  SamplesBySignature find(Access access = Access::Read) {
    return open(access).find("here", kNames);
  }
  void write(std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }
  std::string read() const {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void sql(const char* text) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  /// The first column of the first row.
  std::string one_row(const char* query) const {
    sqlite::Database database(file, sqlite::Database::Open::Existing, 1000);
    sqlite::Statement select(database, query);
    return select.step() ? std::string(select.text(0)) : "none";
  }
  /// Runs `body` as a user whom permissions bind; they do not bind root.
  template <class Body>
  void as_ordinary_user(Body body) {
    fs::permissions(folder, fs::perms(0555));
    const int code = exit_code_of(in_another_process([&] {
      constexpr uid_t nobody = 65534;
      if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return 99;
      body();
      return testing::Test::HasFailure() ? 1 : 0;
    }));
    EXPECT_EQ(code, 0);
  }

  fs::path folder;
  fs::path file;
  std::vector<std::string> warnings;
};

TEST_F(Cache, RemembersWhichCutsAreExact) {
  const std::vector<std::string> asked = {"Conv in 2", "Relu in 2", "Softmax in 2"};
  const ExactnessBySignature found = {{"Conv in 2", false}, {"Relu in 2", true}};
  EXPECT_TRUE(open().keep_exactness("here", found));
  EXPECT_EQ(open(Access::Read).find_exactness("here", asked), found);
  EXPECT_THAT(open(Access::Read).find_exactness("elsewhere", asked), IsEmpty());
  EXPECT_TRUE(open().keep_exactness("here", {{"Conv in 2", true}}));
  EXPECT_TRUE(open(Access::Read).find_exactness("here", asked).at("Conv in 2"));
}

TEST_F(Cache, KeepsSamplesByConditionsAndSignature) {
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_EQ(find(), kTwo);
  EXPECT_THAT(open().find("elsewhere", kNames), IsEmpty());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, NewSamplesReplaceOldOnes) {
  ProfileCache cache = open();
  cache.keep("here", kTwo);
  cache.keep("here", {{"Add(f32[4])", {{9, 8}, {1}}}});
  EXPECT_EQ(find().at("Add(f32[4])"), (Samples{{9, 8}, {1}}));
  EXPECT_EQ(find().size(), 2);
}

TEST_F(Cache, ReadingMakesNoFile) {
  EXPECT_THAT(find(), IsEmpty());
  EXPECT_FALSE(fs::exists(file));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, WritingMakesTheFolder) {
  file = folder / "a" / "b" / "profiles.db";
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_EQ(find(), kTwo);
}

TEST_F(Cache, WhatIsNoCacheIsLeftAlone) {
  for (const std::string& other :
       {std::string("this is no database at all"), std::string(100'000, '\xa5'),
        "SQLite format 3" + std::string(5000, '\0')}) {
    warnings.clear();
    write(other);
    EXPECT_TRUE(why_no_cache(file));
    EXPECT_FALSE(open().keep("here", kTwo));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("it stays as it is")));
    EXPECT_EQ(read(), other);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Cache, WhatMayBecomeOneIsNoFileAnEmptyOneOrACache) {
  EXPECT_FALSE(why_no_cache(file));
  write("");
  EXPECT_FALSE(why_no_cache(file));
  sql("CREATE TABLE t(x)");
  EXPECT_EQ(why_no_cache(file), "is another program's database");
  sql("DROP TABLE t");
  EXPECT_FALSE(why_no_cache(file));
  EXPECT_EQ(why_no_cache(folder), "is not a file");
  fs::remove(file);
  open().keep("here", kTwo);
  EXPECT_FALSE(why_no_cache(file));
  EXPECT_TRUE(is_profile_cache(file));
}

TEST_F(Cache, WhateverLiesInTheUsualPlaceIsOurs) {
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder.c_str(), 1), 0);
  file = default_profile_cache();
  fs::create_directories(file.parent_path());
  write(std::string(5000, '\0'));
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("was damaged")));
  ASSERT_EQ(::unsetenv("XDG_CACHE_HOME"), 0);
}

TEST_F(Cache, ADamagedFileIsSetAsideAndMadeAnew) {
  open().keep("here", kTwo);
  const std::string head = read().substr(0, 100);
  for (const std::string& garbage :
       {head, head + std::string(100'000, '\xa5'), head + std::string(5000, '\0')}) {
    warnings.clear();
    write(garbage);
    EXPECT_THAT(find(Access::Read), IsEmpty());
    EXPECT_EQ(warnings.size(), 1);
    EXPECT_EQ(fs::file_size(file), garbage.size());  // a reader changes nothing
    warnings.clear();
    EXPECT_TRUE(open().keep("here", kTwo));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("was damaged")));
    EXPECT_EQ(find(), kTwo);
  }
  EXPECT_TRUE(fs::exists(folder / "profiles.db.aside"));
  EXPECT_TRUE(fs::exists(folder / "profiles.db.aside-3"));
}

TEST_F(Cache, DamageInTheMiddleIsFoundWhenItIsReached) {
  SamplesBySignature many;
  for (int i = 0; i < 5000; ++i) many[fmt::format("signature {}", i)] = {{1, 2, 3}, {4}};
  open().keep("here", many);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    for (std::streamoff at = 3 * 4096; at < size; at += 4096) {
      stream.seekp(at);
      stream << std::string(4096, '\xa5');
    }
  }
  ProfileCache cache = open();
  EXPECT_THAT(cache.find("here", {"signature 1", "signature 4999"}), IsEmpty());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("was damaged")));
  EXPECT_TRUE(cache.keep("here", kTwo));
  EXPECT_EQ(find(), kTwo);
}

TEST_F(Cache, ATruncatedFileIsMadeAnew) {
  open().keep("here", kTwo);
  fs::resize_file(file, 5000);
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_EQ(find(), kTwo);
  EXPECT_EQ(warnings.size(), 1);
}

TEST_F(Cache, MissingTablesAreDamage) {
  open().keep("here", kTwo);
  sql("DROP TABLE samples");
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_EQ(find(), kTwo);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("was damaged")));
}

TEST_F(Cache, AnotherProgramsDatabaseIsLeftAlone) {
  sql("CREATE TABLE bookmarks(url)");
  EXPECT_FALSE(open().keep("here", kTwo));
  EXPECT_THAT(find(), IsEmpty());
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("another program's"), HasSubstr("another program's")));
  sql("SELECT url FROM bookmarks");
}

TEST_F(Cache, ANewerVersionIsLeftAloneAndAnOlderSetAside) {
  open().keep("here", kTwo);
  sql("PRAGMA user_version = 99");
  EXPECT_FALSE(open().keep("here", kTwo));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("newer version")));
  sql("PRAGMA user_version = 0");
  EXPECT_TRUE(open().keep("here", kTwo));
  EXPECT_TRUE(fs::exists(folder / "profiles.db.aside"));
}

TEST_F(Cache, RowsThatAreNoTimesAreNotFound) {
  open().keep("here", kTwo);
  sql("UPDATE samples SET alone = x'0102' WHERE signature LIKE 'Relu%'");
  EXPECT_EQ(find().size(), 1);
  sql("UPDATE samples SET alone = 'text'");
  EXPECT_THAT(find(), IsEmpty());
  sql("UPDATE samples SET alone = x'000000000000f0ff'");  // minus infinity
  EXPECT_THAT(find(), IsEmpty());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, AFileThatCanOnlyBeReadIsRead) {
  open().keep("here", kTwo);
  fs::permissions(file, fs::perms(0444));
  as_ordinary_user([&] {
    EXPECT_EQ(find(Access::Read), kTwo);
    EXPECT_THAT(warnings, IsEmpty());
    ProfileCache cache = open(Access::Write);
    EXPECT_EQ(cache.find("here", kNames), kTwo);
    EXPECT_FALSE(cache.keep("here", kTwo));
    EXPECT_FALSE(cache.keep("here", kTwo));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("can only be read")));
  });
}

TEST_F(Cache, AFolderThatCannotBeWrittenKeepsNothing) {
  as_ordinary_user([&] {
    file = "/proc/braid/profiles.db";
    EXPECT_FALSE(open().keep("here", kTwo));
    EXPECT_THAT(find(Access::Write), IsEmpty());
    EXPECT_EQ(warnings.size(), 2);
  });
}

TEST_F(Cache, AFileBesideWhichNoJournalFitsIsReadAndNotWritten) {
  open().keep("here", kTwo);
  fs::permissions(file, fs::perms(0666));
  as_ordinary_user([&] {
    ProfileCache cache = open();
    EXPECT_FALSE(cache.keep("here", kTwo));
    EXPECT_EQ(cache.find("here", kNames), kTwo);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("cannot be written")));
  });
}

TEST_F(Cache, AFolderOrPipeInPlaceOfTheFileIsNotUsed) {
  fs::create_directory(file);
  EXPECT_FALSE(open().keep("here", kTwo));
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0666), 0);
  EXPECT_FALSE(open().keep("here", kTwo));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("not a file"), HasSubstr("not a file")));
}

TEST_F(Cache, TwoWritersAtOnceLoseNothing) {
  constexpr int batches = 40;
  const auto writer = [&](int number) {
    return in_another_process([&] {
      ProfileCache cache = open();
      for (int i = 0; i < batches; ++i)
        if (!cache.keep("here", {{fmt::format("{} {}", number, i), {{1.0 + i}, {}}},
                                 {"both", {{1.0 + i}, {}}}}))
          return 1;
      return warnings.empty() ? 0 : 2;
    });
  };
  const pid_t one = writer(1);
  const pid_t two = writer(2);
  EXPECT_EQ(exit_code_of(one), 0);
  EXPECT_EQ(exit_code_of(two), 0);
  std::vector<std::string> names = {"both"};
  for (int i = 0; i < batches; ++i)
    for (const int number : {1, 2}) names.push_back(fmt::format("{} {}", number, i));
  EXPECT_EQ(open().find("here", names).size(), names.size());
}

TEST_F(Cache, ManyThatFindItDamagedMakeItAnewOnce) {
  open().keep("here", kTwo);
  write(read().substr(0, 100) + "garbage, and more of it");
  std::vector<pid_t> children;
  for (int number = 0; number < 6; ++number)
    children.push_back(in_another_process([&, number] {
      return open().keep("here", {{fmt::format("{}", number), {{1}, {}}}}) ? 0 : 1;
    }));
  for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(open().find("here", {"0", "1", "2", "3", "4", "5"}).size(), 6);
  EXPECT_FALSE(fs::exists(folder / "profiles.db.aside-2"));
}

TEST_F(Cache, AKilledWriterLeavesWholeTransactions) {
  for (int round = 0; round < 5; ++round) {
    const pid_t child = in_another_process([&] {
      ProfileCache cache = open();
      for (std::int64_t i = 0;; ++i) {
        SamplesBySignature batch;
        for (int j = 0; j < 50; ++j)
          batch[fmt::format("{}", j)] = {{static_cast<double>(i + 1)}, {}};
        cache.keep("here", batch);
      }
      return 0;
    });
    while (open(Access::Read).find("here", {"49"}).empty()) std::this_thread::yield();
    ::kill(child, SIGKILL);
    exit_code_of(child);
    std::vector<std::string> names;
    for (int j = 0; j < 50; ++j) names.push_back(fmt::format("{}", j));
    const SamplesBySignature found = open().find("here", names);
    ASSERT_EQ(found.size(), names.size());
    for (const auto& [name, samples] : found) EXPECT_EQ(samples, found.at("0")) << name;
    EXPECT_TRUE(open().keep("here", kTwo));
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(DefaultProfileCache, FollowsTheXdgSpecification) {
  ::setenv("HOME", "/home/someone", 1);
  ::setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
  EXPECT_EQ(default_profile_cache(), "/var/cache/someone/braid/profiles.db");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(default_profile_cache(), "/home/someone/.cache/braid/profiles.db");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(default_profile_cache(), "/home/someone/.cache/braid/profiles.db");
  ::unsetenv("HOME");
  EXPECT_EQ(default_profile_cache(), "");
}

TEST_F(Cache, KeepsMovesOfGraphs) {
  ASSERT_TRUE(open().keep("here", kTwo));
  EXPECT_EQ(open(Access::Read).find_moves("here", "a graph"), std::nullopt);
  EXPECT_TRUE(open().keep_moves("here", "a graph", "some moves"));
  EXPECT_TRUE(open().keep_moves("there", "a graph", "others"));
  EXPECT_TRUE(open().keep_moves("here", "a graph", "better moves"));
  EXPECT_EQ(open(Access::Read).find_moves("here", "a graph"), "better moves");
  EXPECT_EQ(open(Access::Read).find_moves("here", "another"), std::nullopt);
  EXPECT_FALSE(open(Access::Read).keep_moves("here", "another", "some moves"));
  EXPECT_EQ(open(Access::Read).find_way("here", "a graph"), std::nullopt);
  EXPECT_TRUE(open().keep_way("here", "a graph", "panels"));
  EXPECT_EQ(open(Access::Read).find_way("here", "a graph"), "panels");
  EXPECT_EQ(open(Access::Read).find_moves("here", "a graph"), "better moves");
  EXPECT_EQ(find(), kTwo);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, TellsHowAPlanAndAContestCameAbout) {
  const ContestTimes times{{3, 4}, {1, 2}};
  EXPECT_TRUE(open().keep_plan("here", "a graph", "a Plan", "by a contest"));
  EXPECT_TRUE(open().keep_contest("here", "two Plans", times, "on a busy machine"));
  const auto plan = open(Access::Read).find_plan("here", "a graph");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->plan, "a Plan");
  EXPECT_EQ(plan->how, "by a contest");
  EXPECT_GT(plan->settled_at, 1'700'000'000);
  const auto contest = open(Access::Read).find_contest("here", "two Plans");
  ASSERT_TRUE(contest);
  EXPECT_EQ(contest->how, "on a busy machine");
  EXPECT_GT(contest->held_at, 1'700'000'000);
  EXPECT_FALSE(open(Access::Read).find_plan("there", "a graph"));
  EXPECT_THAT(warnings, IsEmpty());
}

/// The file as versions before the table `contests` made it.
constexpr const char* kOlderFile =
    "CREATE TABLE conditions(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE samples(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " alone BLOB NOT NULL, beside BLOB NOT NULL, measured_at INTEGER NOT NULL,"
    " PRIMARY KEY(conditions, signature)) WITHOUT ROWID;"
    "CREATE TABLE cuts(conditions INTEGER NOT NULL, signature TEXT NOT NULL,"
    " exact INTEGER NOT NULL, tried_at INTEGER NOT NULL,"
    " PRIMARY KEY(conditions, signature)) WITHOUT ROWID;"
    "CREATE TABLE plans(conditions INTEGER NOT NULL, graph TEXT NOT NULL,"
    " plan TEXT NOT NULL, found_at INTEGER NOT NULL, PRIMARY KEY(conditions, graph)) WITHOUT "
    "ROWID;"
    "INSERT INTO conditions VALUES(1, 'here');"
    "INSERT INTO plans VALUES(1, 'a graph', 'an older Plan', 1763474592);"
    "INSERT INTO samples VALUES(1, 'two Plans', x'000000000000f03f', x'0000000000000040',"
    " 1763474592);"
    "PRAGMA application_id = 1114794340;"
    "PRAGMA user_version = 2;";

TEST_F(Cache, AnOlderFileIsReadAndKeptWithoutHowItCameAbout) {
  sql(kOlderFile);
  for (const Access access : {Access::Read, Access::Write}) {
    const auto plan = open(access).find_plan("here", "a graph");
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->plan, "an older Plan");
    EXPECT_EQ(plan->settled_at, 1763474592);
    EXPECT_EQ(plan->how, "");
    const auto contest = open(access).find_contest("here", "two Plans");
    ASSERT_TRUE(contest);
    EXPECT_EQ(contest->held_at, 1763474592);
    EXPECT_EQ(contest->how, "");
  }
  EXPECT_TRUE(open().keep_plan("here", "a graph", "a Plan", "by a contest"));
  EXPECT_EQ(open(Access::Read).find_plan("here", "a graph")->how, "by a contest");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, AnOlderReaderFindsWhatIsKeptNow) {
  sql(kOlderFile);
  EXPECT_TRUE(open().keep_plan("here", "a graph", "a Plan", "by a contest"));
  EXPECT_TRUE(open().keep_contest("here", "two Plans", {{3}, {1}}, "on a busy machine"));
  EXPECT_EQ(one_row("PRAGMA user_version"), "2");
  EXPECT_EQ(one_row("SELECT count(*) FROM samples, conditions, cuts WHERE samples.conditions = id "
                    "AND samples.signature = cuts.signature AND cuts.conditions = id AND text = '' "
                    "AND alone = beside AND measured_at = tried_at AND exact = 0"),
            "0");
  EXPECT_EQ(one_row("SELECT plan FROM plans WHERE graph = 'a graph' AND "
                    "conditions = (SELECT id FROM conditions WHERE text = 'here')"),
            "a Plan");
  EXPECT_EQ(one_row("SELECT hex(alone), hex(beside) FROM samples WHERE signature = 'two Plans' AND "
                    "conditions = (SELECT id FROM conditions WHERE text = 'here')"),
            "000000000000F03F");
}

TEST_F(Cache, FindsOperatorsOfAllModelsThatItKnowsSomethingAbout) {
  sql(kOlderFile);
  EXPECT_THAT(open(Access::Read).find_operators("here"), IsEmpty());
  ProfileCache cache = open();
  EXPECT_TRUE(cache.keep("here; 16 MiB", kTwo));
  EXPECT_TRUE(cache.keep("here; 32 MiB", {{"Add(f32[4])", {{9}, {}}}}));
  EXPECT_TRUE(cache.keep("there; 16 MiB", kTwo));
  EXPECT_TRUE(cache.keep_about("here; 16 MiB", {{"Relu(f32[4])", "a"}, {"Conv", "not measured"}}));
  EXPECT_TRUE(cache.keep_about("here; 32 MiB", {{"Add(f32[4])", "b"}}));
  EXPECT_TRUE(cache.keep_about("there; 16 MiB", {{"Relu(f32[4])", "c"}}));
  const std::vector<KeptOperator> found = open(Access::Read).find_operators("here; ");
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].about, "a");
  EXPECT_EQ(found[0].alone_us, kTwo.at("Relu(f32[4])").alone_us);
  EXPECT_EQ(found[1].about, "b");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, WhatAnOlderWriterReplacedIsNotToldAsBefore) {
  EXPECT_TRUE(open().keep_plan("here", "a graph", "a Plan", "by a contest"));
  sql("INSERT OR REPLACE INTO plans(conditions, graph, plan, found_at) "
      "VALUES((SELECT id FROM conditions WHERE text = 'here'), 'a graph', 'another', 1763474592)");
  const auto found = open(Access::Read).find_plan("here", "a graph");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plan, "another");
  EXPECT_EQ(found->how, "");
}

TEST_F(Cache, CountsTheUsesOfRules) {
  EXPECT_THAT(open().find_rule_uses(), IsEmpty());
  EXPECT_TRUE(open().add_rule_uses({{"merge", 3, 1}, {"cut", 1, 1}}));
  EXPECT_TRUE(open().add_rule_uses({{"merge", 4, 0}}));
  EXPECT_THAT(open(Access::Read).find_rule_uses(),
              ElementsAre(RuleUse{"cut", 1, 1}, RuleUse{"merge", 7, 1}));
  EXPECT_FALSE(open(Access::Read).add_rule_uses({{"merge", 1, 1}}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, CountsRulesAlsoInAFileThatWasMadeBefore) {
  ASSERT_TRUE(open().keep("here", kTwo));
  EXPECT_THAT(open(Access::Read).find_rule_uses(), IsEmpty());
  EXPECT_TRUE(open().add_rule_uses({{"merge", 1, 1}}));
  EXPECT_EQ(find(), kTwo);
  EXPECT_THAT(warnings, IsEmpty());
}

}  // namespace
}  // namespace braid
