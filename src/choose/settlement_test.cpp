#include "choose/settlement.h"

#include <gmock/gmock.h>

namespace braid {
namespace {

using testing::HasSubstr;
using testing::Not;

HeldContest a_contest() {
  return {.winner = "braid",
          .loser = "sequential on one stream",
          .ratio = {1.5, 1.25, 1.75},
          .runs = 60,
          .scatter = 0.12,
          .others_share = 0.43,
          .held_at = 1'763'474'592};
}

Settlement settlement(std::vector<HeldContest> contests) {
  return {.earlier = true, .settled_at = 1'763'474'592, .contests = std::move(contests)};
}

TEST(Settlement, TellsDayMarginLoadAndRemedy) {
  EXPECT_EQ(
      earlier_text(settlement({a_contest()})),
      "settled by an earlier contest on this machine, on 2025-11-18 14:03 UTC: braid was 1.500 "
      "times as fast as sequential on one stream [1.250, 1.750] in 60 runs by turns, whose "
      "times scatter by 12 %; the machine was busy: others had 43 % of the processor time that "
      "Braid asked for; --remeasure settles it again");
}

TEST(Settlement, OfAQuietMachineIsNotCalledBusy) {
  HeldContest quiet = a_contest();
  quiet.others_share = 0.02;
  EXPECT_FALSE(settlement({quiet}).is_of_busy_machine());
  EXPECT_THAT(earlier_text(settlement({quiet})), HasSubstr("; others had 2 % of the processor"));
  EXPECT_TRUE(settlement({quiet, a_contest()}).is_of_busy_machine());
}

TEST(Settlement, SaysWhatIsNotKnown) {
  HeldContest untold = a_contest();
  untold.others_share = std::nullopt;
  EXPECT_THAT(earlier_text(settlement({untold})),
              HasSubstr("how busy the machine was is not known"));
  EXPECT_THAT(earlier_text({.earlier = true, .settled_at = 5}),
              HasSubstr("neither the margin nor how busy"));
  EXPECT_THAT(earlier_text(settlement({})), HasSubstr("no rival was left"));
}

TEST(Settlement, ComesBackFromTheCache) {
  HeldContest untold = a_contest();
  untold.others_share = std::nullopt;
  const std::string text = to_json({a_contest(), untold});
  const auto found = contests_from_json(text);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_json(*found), text);
  EXPECT_EQ(found->at(1).others_share, std::nullopt);
  EXPECT_TRUE(contests_from_json("[]")->empty());
}

TEST(Settlement, IsUnknownFromADamagedText) {
  for (const char* damaged : {"", "[", "7", "{}", "[1]", R"([{"winner":"a"}])"})
    EXPECT_FALSE(contests_from_json(damaged)) << damaged;
  HeldContest forged = a_contest();
  forged.winner = "\x1b[31m";
  EXPECT_THAT(earlier_text(settlement({forged})), Not(HasSubstr("\x1b")));
}

TEST(HeldContests, KnowTheirMarginAndScatter) {
  const HeldContest told = held_contest("a", "b", {10, 10, 10, 10}, {20, 20, 20, 25});
  EXPECT_DOUBLE_EQ(told.ratio.ratio, 2);
  EXPECT_LE(told.ratio.low, 2);
  EXPECT_GE(told.ratio.high, 2);
  EXPECT_EQ(told.runs, 4);
  EXPECT_NEAR(told.scatter, 0.1, 0.05);
}

}  // namespace
}  // namespace braid
