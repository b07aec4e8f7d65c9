#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"

namespace braid::cpu {
namespace {

constexpr double kStateTolerance = 1e-5;
constexpr std::size_t kGruInputs = 6;
constexpr std::size_t kLstmInputs = 8;

/// The sizes of a network whose other options are left to chance.
struct Sizes {
  std::int64_t steps;
  std::int64_t batch;
  std::int64_t inputs;
  std::int64_t hidden;
};
Sizes pick_sizes() { return {pick(1, 7), pick(1, 5), pick(1, 40), pick(1, 70)}; }

bool pick_bool() { return pick(0, 1) == 1; }

Tensor pick_lengths(const Sizes& sizes) {
  Tensor lengths = Tensor::uninitialised({ElementType::I32, {sizes.batch}});
  for (std::int32_t& length : lengths.mutable_data<std::int32_t>())
    length = static_cast<std::int32_t>(pick(0, sizes.steps));
  return lengths;
}

Attributes pick_attributes(const std::string& op, const std::string& direction, bool batch_first) {
  Attributes attributes = {{"direction", direction}, {"layout", std::int64_t{batch_first}}};
  if (pick(0, 3) == 0) attributes.set("clip", 0.4F);
  if (op == "GRU") attributes.set("linear_before_reset", pick(0, 1));
  if (op == "LSTM") attributes.set("input_forget", pick(0, 1));
  return attributes;
}

/// Weights of sums that stay about as large as what is added up: larger ones would make chaos of a
/// rounding, step by step.
Tensor random_weights(const Dims& dims, std::mt19937& random) {
  Tensor weights = random_tensor(dims, random);
  const float scale = 1.5F / std::sqrt(static_cast<float>(dims.back()));
  for (float& x : weights.mutable_data<float>()) x *= scale;
  return weights;
}

std::int64_t gates_of(const std::string& op) { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }

Case pick_network(const std::string& op, const Sizes& sizes) {
  std::mt19937 random = pick_random();
  const auto [steps, batch, inputs, hidden] = sizes;
  const std::int64_t gates = gates_of(op);
  const auto direction = *rc::gen::element<std::string>("forward", "reverse", "bidirectional");
  const std::int64_t d = direction == "bidirectional" ? 2 : 1;
  const bool batch_first = pick_bool();
  const Dims state = batch_first ? Dims{batch, d, hidden} : Dims{d, batch, hidden};
  const auto some = [&](Dims dims) { return random_tensor(std::move(dims), random); };
  const auto maybe = [&](const Tensor& tensor) { return pick_bool() ? tensor : Tensor{}; };
  Case c;
  c.op = op;
  c.attributes = pick_attributes(op, direction, batch_first);
  c.inputs = {some(batch_first ? Dims{batch, steps, inputs} : Dims{steps, batch, inputs}),
              random_weights({d, gates * hidden, inputs}, random),
              random_weights({d, gates * hidden, hidden}, random),
              maybe(some({d, 2 * gates * hidden})),
              maybe(pick_lengths(sizes)),
              maybe(some(state)),
              maybe(some(state)),
              maybe(some({d, 3 * hidden}))};
  c.inputs.resize(op == "LSTM" ? kLstmInputs : kGruInputs);
  c.constant = {false, true, true};
  c.outputs = static_cast<std::size_t>(pick(1, op == "LSTM" ? 3 : 2));
  return c;
}

class RecurrentKernel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Ops, RecurrentKernel, testing::Values("RNN", "GRU", "LSTM"),
                         [](const auto& op) { return op.param; });

TEST_P(RecurrentKernel, EqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const Case c = pick_network(GetParam(), pick_sizes());
      std::string used;
      const std::string text = compare_with_evaluate(c, kStateTolerance, &used);
      if (!text.empty()) RC_FAIL(text);
      RC_ASSERT(used == "recurrent");
    }));
  }
}

TEST_P(RecurrentKernel, OfDeepInputsAndManyStepsEqualsEvaluate) {
  std::mt19937 random(3);
  const std::int64_t gates = gates_of(GetParam());
  const Case c{
      .op = GetParam(),
      .attributes = {{"direction", "bidirectional"}},
      .inputs = {random_tensor({40, 1, 900}, random), random_weights({2, gates * 33, 900}, random),
                 random_weights({2, gates * 33, 33}, random)},
      .constant = {false, true, true}};
  EXPECT_EQ(compare_with_evaluate(c, kStateTolerance), "");
}

TEST_P(RecurrentKernel, GivesTheSpecialNumbersOfEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const Sizes sizes{pick(1, 4), pick(1, 3), pick(1, 9), pick(1, 40)};
      Case c = pick_network(GetParam(), sizes);
      std::mt19937 random = pick_random();
      c.inputs[0] = special_tensor(c.inputs[0].dims(), random, 0.05);
      for (const std::size_t state : {5, 6})
        if (state < c.inputs.size() && c.inputs[state].defined())
          c.inputs[state] = special_tensor(c.inputs[state].dims(), random, 0.05);
      const std::string text = compare_with_evaluate(c, kStateTolerance);
      if (!text.empty()) RC_FAIL(text);
    }));
  }
}

TEST_P(RecurrentKernel, LeavesOutOutputsThatAreNotAskedFor) {
  std::mt19937 random(5);
  const std::int64_t gates = gates_of(GetParam());
  const Case c{
      .op = GetParam(),
      .inputs = {random_tensor({3, 2, 5}, random), random_tensor({1, gates * 4, 5}, random),
                 random_tensor({1, gates * 4, 4}, random)},
      .constant = {false, true, true},
      .outputs = 2};
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs, 2)[1];
  const LaneSettings settings;
  const CaseRunner runner(c);
  const Way way = prepare(runner.call());
  Tensor last = Tensor::uninitialised(expected.type());
  Tensor scratch = Tensor::uninitialised({ElementType::U8, {way.scratch_bytes}});
  const std::byte* const inputs[] = {c.inputs[0].bytes().data(), nullptr, nullptr};
  std::byte* const outputs[] = {nullptr, last.mutable_bytes().data()};
  way.make({})({inputs, outputs, scratch.mutable_bytes().data()});
  EXPECT_EQ(difference(last, expected, kStateTolerance), "");
}

Case small_lstm() {
  std::mt19937 random(4);
  return {.op = "LSTM",
          .attributes = {{"direction", "bidirectional"}},
          .inputs = {random_tensor({3, 2, 5}, random), random_tensor({2, 16, 5}, random),
                     random_tensor({2, 16, 4}, random)},
          .constant = {false, true, true}};
}

using LstmChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, LstmChoice, kEachMachine, name_of_machine);

TEST_P(LstmChoice, IsCutByDirectionIfOnlyAllStatesAreAskedFor) {
  Case c = small_lstm();
  const auto cuts = [&] { return prepare(CaseRunner(c).call()).cuts; };
  EXPECT_EQ(cuts(), (std::vector<Cut>{{.axis = 1}}));
  c.outputs = 2;
  EXPECT_TRUE(cuts().empty());
}

TEST(LstmKernel, RefusesALengthThatIsLongerThanTheSteps) {
  Case c = small_lstm();
  c.inputs.resize(5);
  c.inputs[4] = Tensor::of<std::int32_t>({2}, {3, 4});
  EXPECT_THROW(run_kernel(c), Error);
}

TEST(LstmKernel, LeavesOtherActivationsAndWeightsToEvaluate) {
  Case c = small_lstm();
  c.constant = {false, true, false};
  EXPECT_EQ(run_kernel(c).implementation, "evaluate");
  c.constant = {false, true, true};
  EXPECT_EQ(run_kernel(c).implementation, "recurrent");
  c.attributes.set("activations",
                   std::vector<std::string>{"Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Relu"});
  EXPECT_EQ(run_kernel(c).implementation, "evaluate");
}

}  // namespace
}  // namespace braid::cpu
