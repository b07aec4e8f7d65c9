// Bytes as the JSON form of a Plan. The first byte says for which graph; the text may call the
// graph's hash "$", as the kept inputs do. A Plan is refused, or gives bit for bit what the
// sequential one gives.

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "device/device.h"
#include "devices/open.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "plan/json.h"
#include "plan/plan.h"
#include "schedule/schedulers.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_mutator.h"

namespace braid::fuzz {
namespace {

constexpr std::array kGraphs = {
    R"(x: f32[1,4,6,6]
       a = Relu(x)
       b = Neg(x)
       c = Conv(a, w: f32[4,4,3,3]) pads=[1,1,1,1]
       d = MaxPool(b) kernel_shape=[3,3] pads=[1,1,1,1]
       e = Add(c, d)
       f = Concat(e, a, b) axis=1
       y = Sigmoid(f))",
    R"(x: f32[4,8]
       a = MatMul(x, u: f32[8,8])
       b = MatMul(x, v: f32[8,8])
       s = Softmax(a)
       t = Mul(s, b)
       r = Reshape(t, shape: i64[2] = {8,4})
       p = Transpose(r) perm=[1,0]
       q, z = Split(p, parts: i64[2] = {3,5}) axis=1
       y = Exp(s))",
    R"(x: f32[2,3]
       a = Relu(x)
       b = Relu(x)
       c = Add(a, b)
       d = Mul(c, a)
       return d, c)",
};

/// A graph as the CPU lowers it, its inputs, and what the sequential Plan makes of them.
struct Subject {
  Graph lowered;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
  std::string hash_text;
};

const Device& device() {
  static const std::unique_ptr<Device> cpu = open_device("cpu", {.threads = 2});
  return *cpu;
}

Subject subject_of(std::string_view text) {
  const auto infer_node = [](const Graph& graph, const Node& node) {
    return infer(op_def(node.op), call_of(graph, node));
  };
  Subject subject;
  subject.lowered = device().lower(parse_graph(text, infer_node), device().modelled_costs());
  subject.inputs = inputs_for(subject.lowered);
  const Plan plan = sequential(subject.lowered, device().modelled_costs(), device().spec(), {});
  subject.expected = device().compile(subject.lowered, plan)->run(subject.inputs);
  subject.hash_text = to_string(hash(subject.lowered, HashWeights::TypesOnly));
  return subject;
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> made = [] {
    std::vector<Subject> list;
    for (std::string_view text : kGraphs) list.push_back(subject_of(text));
    return list;
  }();
  return made;
}

std::string with_hash(std::string_view text, const std::string& hash_text) {
  std::string whole(text);
  if (const std::size_t at = whole.find("\"$\""); at != std::string::npos)
    whole.replace(at + 1, 1, hash_text);
  return whole;
}

void check(const Subject& subject, std::string_view text) {
  const Plan plan = plan_from_json(subject.lowered, with_hash(text, subject.hash_text));
  if (plan_from_json(subject.lowered, to_json(subject.lowered, plan)) != plan)
    fail("a Plan changes when it is written and read");
  if (plan.arena_bytes > (1 << 20)) return;
  const std::vector<Tensor> results = device().compile(subject.lowered, plan)->run(subject.inputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!same_bits(results[i], subject.expected[i]))
      fail(fmt::format("output {} of a Plan that passes differs from that of the sequential one",
                       i));
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < subjects().size(); ++i)
    for (const Scheduler& scheduler : schedulers()) {
      const Graph& graph = subjects()[i].lowered;
      std::string text =
          to_json(graph, scheduler.run(graph, device().modelled_costs(), device().spec(), {}));
      text.replace(text.find(subjects()[i].hash_text), 32, "$");
      texts.push_back(std::string(1, static_cast<char>('0' + i)) + text);
    }
  return texts;
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::fuzz;
  if (size == 0) return 0;
  const Subject& subject = subjects()[data[0] % subjects().size()];
  attempt([&] { check(subject, text_of(data + 1, size - 1)); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return braid::fuzz::mutate_json_bytes(data, size, most, seed);
}
