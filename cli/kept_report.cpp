#include "cli/kept_report.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace braid::cli {
namespace {

nlohmann::ordered_json held_json(const HeldContest& contest) {
  nlohmann::ordered_json out = {{"winner", contest.winner},
                                {"loser", contest.loser},
                                {"ratio", json_number(contest.ratio.ratio)},
                                {"ratio_low", json_number(contest.ratio.low)},
                                {"ratio_high", json_number(contest.ratio.high)},
                                {"runs", contest.runs},
                                {"scatter", json_number(contest.scatter)},
                                {"others_share", nullptr},
                                {"held_at", contest.held_at}};
  if (contest.others_share) out["others_share"] = *contest.others_share;
  return out;
}

nlohmann::ordered_json settled_json(const std::optional<Settlement>& settlement) {
  if (!settlement) return nullptr;
  nlohmann::ordered_json out = {{"earlier", settlement->earlier},
                                {"at", settlement->settled_at},
                                {"busy", settlement->is_of_busy_machine()},
                                {"contests", nullptr},
                                {"again", "--remeasure"}};
  if (!settlement->contests) return out;
  out["contests"] = nlohmann::ordered_json::array();
  for (const HeldContest& contest : *settlement->contests)
    out["contests"].push_back(held_json(contest));
  return out;
}

}  // namespace

void add_kept(nlohmann::ordered_json& out, const std::string& reason,
              const std::optional<Settlement>& settlement) {
  out["kept"] = reason;
  out["settled"] = settled_json(settlement);
}

}  // namespace braid::cli
