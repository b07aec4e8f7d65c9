#include "tests/devices/fake_run.h"

#include <algorithm>

#include "base/error.h"
#include "ops/call.h"

namespace braid {
namespace {

Tensor without_last_element(const Tensor& tensor) {
  Tensor copy = Tensor::copy_of(tensor.type(), tensor.bytes());
  const auto bytes = copy.mutable_bytes();
  if (!bytes.empty())
    std::ranges::fill(bytes.last(static_cast<std::size_t>(byte_size(tensor.element()))),
                      std::byte{0});
  return copy;
}

}  // namespace

FakeRun::FakeRun(const Graph& lowered, const Plan& plan, const CostModel& costs, Flaw flaw,
                 std::uint64_t seed)
    : graph_(lowered),
      plan_(plan),
      costs_(costs),
      flaw_(flaw),
      random_(seed),
      streams_(plan.streams.size()) {}

std::vector<Tensor> FakeRun::run(std::span<const Tensor> inputs, Trace* trace) {
  Trace own;
  FakeMemory memory(graph_, plan_, inputs, static_cast<std::byte>(0x80 | random_() % 0x80));
  while (!is_done()) {
    const std::size_t stream = draw_stream();
    if (streams_[stream].is_inside)
      end(stream, memory, own);
    else
      begin(stream, memory);
  }
  if (flaw_ == Flaw::HidesAnEvent && !own.events.empty()) own.events.pop_back();
  if (trace != nullptr) *trace = std::move(own);
  return memory.outputs();
}

bool FakeRun::is_done() const {
  for (std::size_t s = 0; s < streams_.size(); ++s)
    if (streams_[s].ended < std::ssize(plan_.streams[s])) return false;
  return true;
}

bool FakeRun::may_go_on(std::size_t stream) const {
  const Progress& progress = streams_[stream];
  if (progress.is_inside) return true;
  if (progress.ended == std::ssize(plan_.streams[stream])) return false;
  const Step& next = plan_.streams[stream][static_cast<std::size_t>(progress.ended)];
  return flaw_ == Flaw::IgnoresWaits || std::ranges::all_of(next.waits, [&](StepRef ref) {
           return streams_[ref.stream.at()].ended > ref.index;
         });
}

std::size_t FakeRun::draw_stream() {
  std::vector<std::size_t> open;
  for (std::size_t s = 0; s < streams_.size(); ++s)
    if (may_go_on(s)) open.push_back(s);
  if (open.empty()) raise(ErrorKind::Model, "the steps of the plan wait for one another");
  return open[random_() % open.size()];
}

void FakeRun::begin(std::size_t stream, FakeMemory& memory) {
  Progress& progress = streams_[stream];
  const Step& step = plan_.streams[stream][static_cast<std::size_t>(progress.ended)];
  progress.is_inside = true;
  progress.begin_us = now_us_;
  if (!is_view(graph_.node(step.node))) memory.spoil(step);
}

void FakeRun::end(std::size_t stream, FakeMemory& memory, Trace& trace) {
  Progress& progress = streams_[stream];
  const Step& step = plan_.streams[stream][static_cast<std::size_t>(progress.ended)];
  progress.is_inside = false;
  ++progress.ended;
  const Node& node = graph_.node(step.node);
  if (is_view(node)) return;
  with_note([&] { return "while running " + describe(graph_, step.node); },
            [&] { compute(step, memory); });
  now_us_ =
      std::max(now_us_, progress.begin_us + costs_.cost(graph_, step.node, step.parts).time_us);
  trace.events.push_back({.name = node.name,
                          .category = node.op,
                          .stream = static_cast<int>(stream),
                          .begin_us = progress.begin_us,
                          .end_us = now_us_,
                          .part = step.part,
                          .parts = step.parts,
                          .node = step.node.index});
}

void FakeRun::compute(const Step& step, FakeMemory& memory) const {
  const Node& node = graph_.node(step.node);
  std::vector<Tensor> inputs;
  for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? memory.read(id) : Tensor());
  std::vector<Tensor> results = evaluate(node, inputs);
  if (flaw_ == Flaw::LosesAnElement) results[0] = without_last_element(results[0]);
  if (flaw_ == Flaw::LosesAPart && step.parts > 1 && step.part == step.parts - 1) return;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId id = node.outputs[i];
    if (!id.valid()) continue;
    if (results[i].type() != graph_.value(id).type)
      raise(ErrorKind::Model, "output " + std::to_string(i) + " became " +
                                  to_string(results[i].type()) + ", planned was " +
                                  to_string(graph_.value(id).type));
    memory.write(step, id, results[i]);
  }
}

}  // namespace braid
