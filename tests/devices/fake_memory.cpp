#include "tests/devices/fake_memory.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace braid {
namespace {

/// The offset of every element of a region, in row-major order.
std::vector<std::int64_t> element_offsets(const Region& region) {
  std::vector<std::int64_t> offsets = {region.offset};
  for (const Region::Dim& dim : region.dims) {
    std::vector<std::int64_t> inner;
    inner.reserve(offsets.size() * static_cast<std::size_t>(dim.extent));
    for (const std::int64_t offset : offsets)
      for (std::int64_t i = 0; i < dim.extent; ++i) inner.push_back(offset + i * dim.stride);
    offsets = std::move(inner);
  }
  return offsets;
}

void copy_region(const std::byte* from, const Region& source, std::byte* to, const Region& target) {
  const std::vector<std::int64_t> reads = element_offsets(source);
  const std::vector<std::int64_t> writes = element_offsets(target);
  require(reads.size() == writes.size(), "a region is copied to one of its size");
  for (std::size_t i = 0; i < reads.size(); ++i)
    std::memcpy(to + writes[i], from + reads[i], static_cast<std::size_t>(source.element_bytes));
}

const Placement kDense = {.offset = 0, .strides = {}};

/// Garbage is no truth value, and reading it as one is undefined.
Tensor with_truth_values(Tensor tensor) {
  if (tensor.element() != ElementType::Bool) return tensor;
  for (std::byte& b : tensor.mutable_bytes()) b = std::byte{b != std::byte{0}};
  return tensor;
}

}  // namespace

FakeMemory::FakeMemory(const Graph& lowered, const Plan& plan, std::span<const Tensor> inputs,
                       std::byte garbage)
    : graph_(lowered),
      plan_(plan),
      garbage_(garbage),
      arena_(static_cast<std::size_t>(plan.arena_bytes), garbage),
      own_(lowered.value_limit()) {
  for (std::size_t i = 0; i < inputs.size(); ++i) own_[lowered.inputs()[i].at()] = inputs[i];
  for (const ValueId id : lowered.value_ids()) {
    if (lowered.is_constant(id)) own_[id.at()] = lowered.value(id).constant.aligned();
    if (!lowered.value(id).producer.valid() || lives_in_arena(lowered, id)) continue;
    own_[id.at()] = Tensor::uninitialised(lowered.value(id).type);
    std::ranges::fill(own_[id.at()].mutable_bytes(), garbage);
  }
}

Placement FakeMemory::placement(ValueId id) const {
  return lives_in_arena(graph_, id) ? plan_.placements[id.at()] : kDense;
}

std::byte* FakeMemory::begin_of(ValueId id) {
  return lives_in_arena(graph_, id) ? arena_.data() : own_[id.at()].mutable_bytes().data();
}

const std::byte* FakeMemory::begin_of(ValueId id) const {
  return lives_in_arena(graph_, id) ? arena_.data() : own_[id.at()].bytes().data();
}

Tensor FakeMemory::read(ValueId id) const {
  const Value& value = graph_.value(id);
  Tensor dense = Tensor::uninitialised(value.type);
  copy_region(begin_of(id), region_of(value, placement(id)), dense.mutable_bytes().data(),
              region_of(value, kDense));
  return with_truth_values(std::move(dense));
}

void FakeMemory::write(const Step& step, ValueId id, const Tensor& whole) {
  const Value& value = graph_.value(id);
  copy_region(whole.bytes().data(), written_region(value, kDense, step), begin_of(id),
              written_region(value, placement(id), step));
}

void FakeMemory::spoil(const Step& step) {
  for (const ValueId id : graph_.node(step.node).outputs) {
    if (!id.valid()) continue;
    const Region region = written_region(graph_.value(id), placement(id), step);
    for (const std::int64_t offset : element_offsets(region))
      std::memset(begin_of(id) + offset, static_cast<int>(garbage_),
                  static_cast<std::size_t>(region.element_bytes));
  }
}

std::vector<Tensor> FakeMemory::outputs() const {
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph_.outputs()) outputs.push_back(read(output.value));
  return outputs;
}

}  // namespace braid
