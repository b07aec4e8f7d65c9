#include "pipeline/contest.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"

namespace braid {
namespace {

/// Takes some turns of the processor and gives one number.
class Counting : public Program {
 public:
  Counting(std::int64_t turns, float answer) : turns_(turns), answer_(answer) {}

  std::vector<Tensor> run(std::span<const Tensor> /*inputs*/,
                          const RunOptions& /*options*/) override {
    for (volatile std::int64_t i = 0; i < turns_; i = i + 1) {
    }
    return {Tensor::scalar(answer_)};
  }
  std::int64_t arena_bytes() const override { return 0; }

 private:
  std::int64_t turns_;
  float answer_;
};

Contender contender(const char* scheduler, std::int64_t turns, float answer = 1) {
  Contender made;
  made.plan.scheduler = scheduler;
  made.program = std::make_unique<Counting>(turns, answer);
  return made;
}

Graph graph() { return parse_graph("x: f32[2]\ny: f32[2] = Relu(x)", {}); }

TEST(Contest, KeepsTheFasterAndSaysWhy) {
  const Contender kept =
      keep_faster(graph(), contender("slow", 2'000'000), contender("fast", 10), {});
  EXPECT_EQ(kept.plan.scheduler, "fast");
  EXPECT_NE(kept.reason.find("the faster is kept"), std::string::npos) << kept.reason;
}

TEST(Contest, AChallengerThatIsSlowerLoses) {
  const Contender kept =
      keep_faster(graph(), contender("fast", 10), contender("slow", 2'000'000), {});
  EXPECT_EQ(kept.plan.scheduler, "fast");
}

TEST(Contest, OutputsThatDifferAreAnError) {
  try {
    keep_faster(graph(), contender("one", 1, 1), contender("two", 1, 2), {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
    EXPECT_EQ(error.message(), "the Plans of one and two give different outputs");
  }
}

}  // namespace
}  // namespace braid
