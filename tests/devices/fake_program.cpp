#include "tests/devices/fake_program.h"

#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/in_flight.h"
#include "tests/devices/fake_run.h"

namespace braid {
namespace {

class FakeProgram : public Program {
 public:
  FakeProgram(const Graph& lowered, const Plan& plan, const RooflineCostModel& costs,
              const FakeOptions& options)
      : lowered_(lowered), plan_(plan), costs_(costs), flaw_(options.flaw), seeds_(options.seed) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions& options) override {
    const InFlight::Call call(in_flight_);
    FakeRun run(lowered_, plan_, costs_, flaw_, options.poison_seed.value_or(next_seed()));
    try {
      return given(run.run(inputs, options.trace));
    } catch (const Error&) {
      const std::scoped_lock lock(mutex_);
      has_failed_ = true;
      throw;
    }
  }

 private:
  /// Every run takes another order.
  std::uint64_t next_seed() {
    const std::scoped_lock lock(mutex_);
    return seeds_();
  }

  std::vector<Tensor> given(std::vector<Tensor> outputs) {
    const std::scoped_lock lock(mutex_);
    if (flaw_ == Flaw::NeverRecovers && has_failed_)
      raise(ErrorKind::Internal, "an earlier run failed");
    if (flaw_ != Flaw::RepeatsOutputs) return outputs;
    if (last_.empty()) last_ = outputs;
    return std::exchange(last_, std::move(outputs));
  }

  const Graph lowered_;
  const Plan plan_;
  const RooflineCostModel costs_;
  const Flaw flaw_;
  std::mutex mutex_;  // of the three below
  std::mt19937_64 seeds_;
  bool has_failed_ = false;
  std::vector<Tensor> last_;
  InFlight in_flight_;  // the last member: the others stay until no call is under way
};

}  // namespace

std::unique_ptr<Program> make_fake_program(const Graph& lowered, const Plan& plan,
                                           const RooflineCostModel& costs,
                                           const FakeOptions& options) {
  return std::make_unique<FakeProgram>(lowered, plan, costs, options);
}

}  // namespace braid
