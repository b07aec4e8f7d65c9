#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/samples.h"
#include "cost/contest_times.h"

namespace braid {

/// Two Plans that ran by turns on the device, as it is told later.
struct HeldContest {
  std::string winner;  ///< "braid", "sequential on one stream"
  std::string loser;
  RatioInterval ratio = {};  ///< the loser's time over the winner's
  std::int64_t runs = 0;     ///< of each
  /// How far the 80th percentile of the times lies above the 20th, as a share of that; of the two
  /// Plans the one where it is more.
  double scatter = 0;
  /// Of the processor time that this process asked for meanwhile, what others had; nothing if the
  /// system does not tell.
  std::optional<double> others_share = {};
  std::int64_t held_at = 0;  ///< seconds since 1970
};

/// How it was settled which Plan is kept.
struct Settlement {
  bool earlier = false;         ///< by a contest of an earlier day, not now
  std::int64_t settled_at = 0;  ///< seconds since 1970
  /// Without any there was no rival. Nothing: an older version of Braid kept the Plan without them.
  std::optional<std::vector<HeldContest>> contests = {};

  /// Whether others had so much of the processor that another hour may settle it otherwise.
  bool is_of_busy_machine() const;
};

/// What times say of two Plans, but for the machine.
HeldContest held_contest(std::string winner, std::string loser,
                         const std::vector<double>& winner_us, const std::vector<double>& loser_us);

/// What to do about a Plan that was settled: "; --remeasure settles it again".
inline constexpr std::string_view kSettleAgain = "; --remeasure settles it again";

/// How busy the machine was: "; the machine was busy: others had 43 % of …".
std::string load_text(const Settlement& settlement);
/// Why the Plan of an earlier contest is kept: when it was settled, by which margin, how busy the
/// machine was, and what settles it again.
std::string earlier_text(const Settlement& settlement);

/// The form in which the profile cache keeps them; nothing for any other text.
std::string to_json(const std::vector<HeldContest>& contests);
std::optional<std::vector<HeldContest>> contests_from_json(std::string_view text);

}  // namespace braid
