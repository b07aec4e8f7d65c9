#include "device/cpu/lanes/frame.h"

#include "device/cpu/machine/large_pages.h"

namespace braid::cpu {
Frame::Frame(const Script& script)
    : arena_bytes_(static_cast<std::size_t>(script.arena_bytes)),
      arena_(allocate_for_runs(script.arena_bytes, "an arena")),
      ended_(static_cast<std::size_t>(script.lanes())) {
  resolve(script);
}

void Frame::resolve(const Script& script) {
  for (const RunStep& step : script.steps) {
    for (const Place& place : step.inputs) {
      const auto index = static_cast<std::size_t>(place.position);
      if (place.kind == Place::Kind::Input) from_inputs_.push_back({sources_.size(), index});
      if (place.kind == Place::Kind::Output) from_produced_.push_back({sources_.size(), index});
      sources_.push_back(place.kind == Place::Kind::Constant
                             ? script.constants[index].bytes().data()
                             : in_arena(place));
    }
    for (const Place& place : step.outputs) {
      if (place.kind == Place::Kind::Output)
        to_produced_.push_back({targets_.size(), static_cast<std::size_t>(place.position)});
      targets_.push_back(in_arena(place));
    }
  }
  const std::byte** source = sources_.data();
  std::byte** target = targets_.data();
  for (const RunStep& step : script.steps) {
    args_.push_back({{source, step.inputs.size()},
                     {target, step.outputs.size()},
                     arena_.get() + step.scratch_offset,
                     step.pitch});
    source += step.inputs.size();
    target += step.outputs.size();
  }
}

std::byte* Frame::in_arena(const Place& place) const {
  return place.kind == Place::Kind::Arena ? arena_.get() + place.position : nullptr;
}

void Frame::bind(std::span<const std::byte* const> inputs, std::span<std::byte* const> produced) {
  for (const Patch& patch : from_inputs_) sources_[patch.slot] = inputs[patch.index];
  for (const Patch& patch : from_produced_) sources_[patch.slot] = produced[patch.index];
  for (const Patch& patch : to_produced_) targets_[patch.slot] = produced[patch.index];
  for (Counter& counter : ended_) counter.reset();
}

std::unique_ptr<Frame> FramePool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Frame> frame = std::move(free_.back());
      free_.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(script_);
}

void FramePool::give_back(std::unique_ptr<Frame> frame) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(frame));
}

}  // namespace braid::cpu
