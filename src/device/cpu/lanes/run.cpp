#include "device/cpu/lanes/run.h"

#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/cpu/machine/touch.h"

namespace braid::cpu {
namespace {

/// More steps than any lane has: a step that waits for a lane that has ended goes on.
constexpr std::uint32_t kAll = std::numeric_limits<std::int32_t>::max();
constexpr int kCallersLane = 0;

}  // namespace

Run::Run(const Script& script, Frame& frame, std::span<const Tensor> inputs,
         const RunOptions& options)
    : script_(script), frame_(frame), options_(options) {
  if (options.trace != nullptr) log_.start(script.steps.size());
  std::vector<const std::byte*> sources;
  for (const Tensor& input : inputs) {
    inputs_.push_back(input.aligned());
    sources.push_back(inputs_.back().bytes().data());
  }
  std::vector<std::byte*> targets;
  for (const TensorType& type : script.produced) {
    produced_.push_back(Tensor::uninitialised(type));
    targets.push_back(produced_.back().mutable_bytes().data());
  }
  frame_.bind(sources, targets);
  if (options.poison_seed) poison_.emplace(*options.poison_seed);
  if (poison_) poison_before();
  if (options.touch_arena) touch(frame_.arena());
}

void Run::poison_before() {
  poison_->fill(frame_.arena());
  for (Tensor& tensor : produced_) poison_->fill(tensor.mutable_bytes());
}

/// Comes while the step counts as running: no other step has these bytes yet.
void Run::poison_after(std::size_t i) const {
  const RunStep& step = script_.steps[i];
  const auto fill = [&](std::int64_t begin, std::int64_t bytes) {
    poison_->fill(
        frame_.arena().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes)));
  };
  fill(step.scratch_offset, step.scratch_bytes);
  for (const ByteRange& range : step.freed) fill(range.begin, range.size());
}

std::vector<Tensor> Run::execute(LanePool& pool) {
  callers_signals_.emplace();
  pool.run([&](int lane) { run_lane(lane, pool.patience()); }, script_.lanes());
  callers_signals_.reset();
  if (failure_) std::rethrow_exception(failure_);
  if (options_.trace != nullptr) *options_.trace = log_.trace(script_);
  return outputs();
}

void Run::run_lane(int lane, const Patience& patience) noexcept {
  try {
    run_steps(lane, patience);
  } catch (...) {
    if (!has_failed_.exchange(true)) failure_ = std::current_exception();
  }
  // Also after a failure, which those who wait find when they go on.
  frame_.ended(lane).raise_to(kAll);
}

void Run::run_steps(int lane, const Patience& patience) {
  const std::size_t begin = script_.first[static_cast<std::size_t>(lane)];
  const std::size_t end = script_.first[static_cast<std::size_t>(lane) + 1];
  for (std::size_t i = begin; i < end; ++i) {
    const RunStep& step = script_.steps[i];
    wait_for_others(i, patience);
    if (has_failed_.load(std::memory_order_relaxed)) return;
    if (step.kernel != nullptr) run_step(i);
    if (step.is_awaited) frame_.ended(lane).raise_to(static_cast<std::uint32_t>(i - begin) + 1);
    if (lane == kCallersLane) callers_signals_->let_through();
  }
}

void Run::wait_for_others(std::size_t i, const Patience& patience) {
  for (const LaneWait& wait : script_.steps[i].waits) {
    Counter& ended = frame_.ended(wait.lane);
    if (ended.reached(wait.ended)) continue;
    log_.wait_begins(i);
    ended.wait_for(wait.ended, patience);
  }
}

void Run::run_step(std::size_t i) {
  const RunStep& step = script_.steps[i];
  const auto where = [&] {
    return fmt::format("while running {} ({})", quote(step.name), step.op);
  };
  if (poison_) poison_->delay(i, 0);
  log_.step_begins(i);
  with_note(where, [&] { (*step.kernel)(frame_.args(i)); });
  log_.step_ends(i);
  if (!poison_) return;
  poison_after(i);
  poison_->delay(i, 1);
}

std::vector<Tensor> Run::outputs() const {
  std::vector<Tensor> outputs;
  for (const Place& place : script_.outputs) {
    const auto i = static_cast<std::size_t>(place.position);
    if (place.kind == Place::Kind::Output)
      outputs.push_back(produced_[i]);
    else if (place.kind == Place::Kind::Constant)
      outputs.push_back(script_.constants[i]);
    else  // A copy: the caller may write to its input again.
      outputs.push_back(Tensor::copy_of(inputs_[i].type(), inputs_[i].bytes()));
  }
  return outputs;
}

}  // namespace braid::cpu
