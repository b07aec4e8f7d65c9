#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/each_once.h"
#include "cost/contest_times.h"

namespace braid {

/// Times of one operator signature, as measured.
struct Samples {
  std::vector<double> alone_us;
  std::vector<double> beside_us;  ///< beside a neighbour that streams memory; may be empty

  bool operator==(const Samples&) const = default;
};
using SamplesBySignature = std::map<std::string, Samples>;

/// For signatures of cut nodes, whether the parts were found to give the same bits as the whole.
using ExactnessBySignature = std::map<std::string, bool>;

/// How often a rule of the search over graphs was used: moves in graphs that were kept, and
/// searches that kept a graph with one.
struct RuleUse {
  std::string name;
  std::int64_t fired = 0;
  std::int64_t gained = 0;

  bool operator==(const RuleUse&) const = default;
};

/// A contest or a Plan of an earlier day.
struct KeptContest {
  ContestTimes times;
  std::int64_t held_at = 0;  ///< seconds since 1970
  std::string how = {};      ///< what is told of it; empty: an older version of Braid kept it
};
struct KeptPlan {
  std::string plan;
  std::int64_t settled_at = 0;  ///< seconds since 1970
  std::string how = {};         ///< what is told of it; empty: an older version of Braid kept it
};

/// An operator that was measured on an earlier day, whatever the model.
struct KeptOperator {
  std::string signature;
  std::string about;  ///< as it was kept
  std::vector<double> alone_us;
};

/// What was measured on earlier days: an SQLite file, docs/formats.md has its form. Samples belong
/// to conditions (the machine, the libraries, how they were taken) and a signature.
///
/// A cache is a convenience: nothing that is wrong with the file is an error. It is reported once
/// through `warn`, in a sentence, and from then on the cache finds or keeps nothing. Processes may
/// read and write the same file at once, and be killed while they do. A damaged cache is set aside
/// under another name when it is opened to write; whatever is no cache is left alone.
///
/// Not thread-safe.
class ProfileCache {
 public:
  enum class Access {
    Read,  ///< no file or folder is made, none is set aside
    Write
  };

  ProfileCache(std::filesystem::path file, Access access, Warn warn);
  ~ProfileCache();
  ProfileCache(ProfileCache&&) noexcept;
  ProfileCache& operator=(ProfileCache&&) = delete;

  /// The samples that there are of those signatures.
  SamplesBySignature find(std::string_view conditions, const std::vector<std::string>& signatures);
  /// Keeps all samples or, if this process ends meanwhile, none. Replaces what there was. False if
  /// they are not kept.
  bool keep(std::string_view conditions, const SamplesBySignature& samples);

  /// The same for contests, each under a signature that names both contenders.
  std::optional<KeptContest> find_contest(std::string_view conditions,
                                          const std::string& signature);
  bool keep_contest(std::string_view conditions, const std::string& signature,
                    const ContestTimes& times, std::string_view how);

  /// The same for what was found about cuts. Conditions are the machine and its libraries only.
  ExactnessBySignature find_exactness(std::string_view conditions,
                                      const std::vector<std::string>& signatures);
  bool keep_exactness(std::string_view conditions, const ExactnessBySignature& found);

  /// Keeps a text about each of these signatures, whose samples are kept. Replaces what there was.
  bool keep_about(std::string_view conditions,
                  const std::map<std::string, std::string>& about_signatures);
  /// The operators with such a text that were measured under conditions which begin so, some
  /// thousand of them at most.
  std::vector<KeptOperator> find_operators(std::string_view conditions_begin);

  /// The moves that a search over graphs found for a graph, as text (optimise/moves_json.h). The
  /// graph goes by a text that tells it from others; conditions are the device and the rules.
  std::optional<std::string> find_moves(std::string_view conditions, std::string_view graph);
  /// Replaces what there was. False if they are not kept.
  bool keep_moves(std::string_view conditions, std::string_view graph, std::string_view moves);

  /// The implementations that were the fastest for an operator, separated by commas; it goes by its
  /// signature in the device's first way.
  std::optional<std::string> find_way(std::string_view conditions, std::string_view signature);
  /// Replaces what there was. False if it is not kept.
  bool keep_way(std::string_view conditions, std::string_view signature, std::string_view fastest);

  /// The Plan that a contest settled on for a lowered graph, in its JSON form (plan/json.h). The
  /// graph goes by a text that tells it, and what was asked of the Plan, from others.
  std::optional<KeptPlan> find_plan(std::string_view conditions, std::string_view graph);
  /// Replaces what there was. False if it is not kept.
  bool keep_plan(std::string_view conditions, std::string_view graph, std::string_view plan,
                 std::string_view how);

  /// What was counted of rules, sorted by name.
  std::vector<RuleUse> find_rule_uses();
  /// Adds to what was counted. False if it is not kept.
  bool add_rule_uses(const std::vector<RuleUse>& more);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// $XDG_CACHE_HOME/braid/profiles.db, or ~/.cache/braid/profiles.db. Empty if neither is set.
std::filesystem::path default_profile_cache();

}  // namespace braid
