#include <array>
#include <thread>

#include <fmt/format.h>

#include "base/testing/kind_of_error.h"
#include "ops/builder.h"
#include "ops/call.h"
#include "plan/one_stream.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "tests/devices/checks.h"

namespace braid {
namespace {

/// An input, and what the device makes of it with one stream.
struct Question {
  std::vector<Tensor> inputs;
  std::vector<Tensor> answer;
};

std::vector<Question> questions(const Device& device, const Subject& subject, int count) {
  std::vector<Question> all;
  for (int i = 0; i < count; ++i) {
    // A Program of its own each time: it cannot mix them up.
    const auto program =
        device.compile(subject.lowered, one_stream(subject.lowered, device.spec().name));
    std::vector<Tensor> inputs = other_inputs(static_cast<std::uint32_t>(100 + i));
    std::vector<Tensor> answer = program->run(inputs);
    require(all.empty() || !same_bits(answer, all.back().answer),
            "the outputs of the network depend on its input");
    all.push_back({std::move(inputs), std::move(answer)});
  }
  return all;
}

/// Complaints from several threads.
class Callers {
 public:
  explicit Callers(Complaints& complaints) : complaints_(complaints) {}
  ~Callers() {
    for (std::thread& thread : threads_) thread.join();
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  void add(Program& program, const Question& question, int rounds) {
    threads_.emplace_back([this, &program, &question, rounds] {
      for (int round = 0; round < rounds; ++round) {
        Complaints own;
        own.unless_runs("a caller among others", program, question.inputs, question.answer);
        complaints_.add_all("at once", own.take());
      }
    });
  }

 private:
  Complaints& complaints_;
  std::vector<std::thread> threads_;
};

/// A Gather whose index is an input, so that a run can be made to fail.
Graph network_that_may_fail() {
  return parse(R"(
      x: f32[4]
      i: i64[1]
      a = Relu(x)
      b = Gather(a, i) axis=0
      c = Softmax(a)
      d = Erf(c)
      e = Add(d, b)
      return e)");
}

std::vector<Tensor> gathering(std::int64_t index) {
  return {Tensor::of<float>({4}, {1, 2, 3, 4}), Tensor::of<std::int64_t>({1}, {index})};
}

}  // namespace

std::vector<std::string> check_new_inputs(const DeviceUnderTest& tried) {
  const auto device = tried.open();
  Complaints complaints;
  const Subject subject = make_subject(*device, 1);
  const std::vector<Question> all = questions(*device, subject, 3);
  const auto program =
      device->compile(subject.lowered, random_plan_for(*device, subject.lowered, 1));
  std::vector<std::vector<Tensor>> answers;
  for (int round = 0; round < 2; ++round)
    for (const Question& question : all) {
      std::vector<Tensor> given;
      for (const Tensor& input : question.inputs)
        given.push_back(Tensor::copy_of(input.type(), input.bytes()));
      answers.push_back(program->run(given));
      if (!same_bits(given, question.inputs)) complaints.add("a run wrote to its inputs");
    }
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (!same_bits(answers[i], all[i % all.size()].answer))
      complaints.add(fmt::format("run {} gave, or has by now, the outputs of other inputs", i));
  return complaints.take();
}

std::vector<std::string> check_faults(const DeviceUnderTest& tried) {
  const auto device = tried.open();
  Complaints complaints;
  const Graph graph = network_that_may_fail();
  const Graph lowered = device->lower(graph, device->modelled_costs());
  const auto expected = kind_of_error([&] { evaluate(graph, gathering(100)); });
  const auto plain = device->compile(lowered, one_stream(lowered, device->spec().name));
  const Question good{gathering(3), plain->run(gathering(3))};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Plan plan = random_plan_for(*device, lowered, seed);
    verify(lowered, plan);
    const auto program = device->compile(lowered, plan);
    const std::string where = fmt::format("random Plan {}", seed);
    for (int round = 0; round < 4; ++round) {
      // The second half of the rounds fails beside runs that do not.
      Callers beside(complaints);
      if (round >= 2) beside.add(*program, good, 4);
      if (kind_of_error([&] { program->run(gathering(100)); }) != expected)
        complaints.add(where + ": a run failed otherwise than evaluate, or not at all");
      complaints.unless_runs(where + ", after a fault", *program, good.inputs, good.answer);
    }
  }
  return complaints.take();
}

std::vector<std::string> check_callers(const DeviceUnderTest& tried) {
  const auto device = tried.open();
  Complaints complaints;
  const Subject subject = make_subject(*device, 3);
  const std::vector<Question> all = questions(*device, subject, 5);
  const Plan plan = random_plan_for(*device, subject.lowered, 2);
  verify(subject.lowered, plan);
  const auto program = device->compile(subject.lowered, plan);
  {
    Callers callers(complaints);
    for (const Question& question : all) callers.add(*program, question, is_full() ? 200 : 6);
  }
  return complaints.take();
}

std::vector<std::string> check_programs_together(const DeviceUnderTest& tried) {
  const auto device = tried.open();
  Complaints complaints;
  const Subject subject = make_subject(*device, 6);
  const std::vector<Question> all = questions(*device, subject, 2);
  const std::vector<Plan> plans = {random_plan_for(*device, subject.lowered, 1),
                                   random_plan_for(*device, subject.lowered, 2)};
  auto programs = device->compile(subject.lowered, plans);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Trace trace;
    complaints.unless_runs(fmt::format("Program {}", i), *programs[i], all[i].inputs, all[i].answer,
                           {.trace = &trace});
    complaints.add_all(fmt::format("Program {}", i),
                       trace_faults(subject.lowered, plans[i], trace));
  }
  {
    Callers callers(complaints);
    for (std::size_t i = 0; i < plans.size(); ++i) callers.add(*programs[i], all[i], 6);
  }
  programs[0].reset();
  complaints.unless_runs("the Program that is left", *programs[1], all[1].inputs, all[1].answer);
  return complaints.take();
}

std::vector<std::string> check_programs_that_stay(const DeviceUnderTest& tried) {
  auto device = tried.open();
  Complaints complaints;
  Subject subject = make_subject(*device, 4);
  auto program = device->compile(subject.lowered, random_plan_for(*device, subject.lowered, 4));
  device.reset();
  subject.lowered = {};
  complaints.unless_runs("without its device", *program, subject.inputs, subject.expected);
  return complaints.take();
}

}  // namespace braid
