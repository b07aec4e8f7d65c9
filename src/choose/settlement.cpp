#include "choose/settlement.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/date.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace braid {
namespace {

/// What a desktop does by itself takes less.
constexpr double kBusyShare = 0.1;

double scatter_of(const std::vector<double>& times_us) {
  constexpr double kHighPercentile = 80;
  return percentile(times_us, kHighPercentile) / percentile(times_us, kContestPercentile) - 1;
}

/// The most that others had during one of the contests; nothing if it is not known.
std::optional<double> most_of_others(const Settlement& settlement) {
  std::optional<double> most;
  if (settlement.contests)
    for (const HeldContest& contest : *settlement.contests)
      if (contest.others_share) most = std::max(most.value_or(0), *contest.others_share);
  return most;
}

std::string text_of(const HeldContest& contest) {
  return fmt::format(
      "{} was {:.3f} times as fast as {} [{:.3f}, {:.3f}] in {} runs by turns, whose times scatter "
      "by {:.0f} %",
      printable(contest.winner), contest.ratio.ratio, printable(contest.loser), contest.ratio.low,
      contest.ratio.high, contest.runs, 100 * contest.scatter);
}

HeldContest read_contest(const JsonPlace& row) {
  constexpr double kMost = std::numeric_limits<double>::max();
  HeldContest contest;
  contest.winner = row["winner"].text();
  contest.loser = row["loser"].text();
  contest.ratio = {.ratio = row["ratio"].real(0, kMost),
                   .low = row["ratio_low"].real(0, kMost),
                   .high = row["ratio_high"].real(0, kMost)};
  contest.runs = row["runs"].integer(1, 1'000'000'000);
  contest.scatter = row["scatter"].real(0, kMost);
  if (row.has("others_share")) contest.others_share = row["others_share"].real(0, 1);
  contest.held_at = row["held_at"].integer(0, std::numeric_limits<std::int64_t>::max());
  return contest;
}

}  // namespace

bool Settlement::is_of_busy_machine() const {
  return most_of_others(*this).value_or(0) > kBusyShare;
}

HeldContest held_contest(std::string winner, std::string loser,
                         const std::vector<double>& winner_us,
                         const std::vector<double>& loser_us) {
  return {.winner = std::move(winner),
          .loser = std::move(loser),
          .ratio = ratio_of_times(loser_us, winner_us),
          .runs = std::ssize(winner_us),
          .scatter = std::max(scatter_of(winner_us), scatter_of(loser_us))};
}

std::string load_text(const Settlement& settlement) {
  const std::optional<double> share = most_of_others(settlement);
  if (!share) return "; how busy the machine was is not known";
  return fmt::format("; {}others had {:.0f} % of the processor time that Braid asked for",
                     settlement.is_of_busy_machine() ? "the machine was busy: " : "", 100 * *share);
}

std::string earlier_text(const Settlement& settlement) {
  std::string text = fmt::format("settled by an earlier contest on this machine, on {}",
                                 date_text(settlement.settled_at));
  if (!settlement.contests)
    return text
        .append(
            ", of which an older Braid kept neither the margin nor how busy the machine "
            "was")
        .append(kSettleAgain);
  if (settlement.contests->empty()) return text.append(": no rival was left").append(kSettleAgain);
  for (const HeldContest& contest : *settlement.contests)
    text += (&contest == settlement.contests->data() ? ": " : "; ") + text_of(contest);
  return text.append(load_text(settlement)).append(kSettleAgain);
}

std::string to_json(const std::vector<HeldContest>& contests) {
  auto rows = nlohmann::ordered_json::array();
  for (const HeldContest& contest : contests) {
    rows.push_back({{"winner", contest.winner},
                    {"loser", contest.loser},
                    {"ratio", contest.ratio.ratio},
                    {"ratio_low", contest.ratio.low},
                    {"ratio_high", contest.ratio.high},
                    {"runs", contest.runs},
                    {"scatter", contest.scatter},
                    {"held_at", contest.held_at}});
    if (contest.others_share) rows.back()["others_share"] = *contest.others_share;
  }
  return one_line(rows);
}

std::optional<std::vector<HeldContest>> contests_from_json(std::string_view text) {
  if (text.empty()) return std::nullopt;
  try {
    const nlohmann::json json = parse_json(text);
    const JsonPlace rows(json);
    std::vector<HeldContest> contests;
    for (std::size_t i = 0; i < rows.size(); ++i) contests.push_back(read_contest(rows.at(i)));
    return contests;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace braid
