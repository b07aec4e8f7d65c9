#include "tests/devices/fake_memory.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace braid {
namespace {

/// The regions' rows, in row-major order, one after the other: what a row is, is the last axis.
template <class Visit>
void for_each_row(const Region& a, const Region& b, Visit visit) {
  if (empty(a)) return;
  std::vector<std::int64_t> index(a.dims.size(), 0);
  for (;;) {
    std::int64_t at_a = a.offset;
    std::int64_t at_b = b.offset;
    for (std::size_t i = 0; i + 1 < index.size(); ++i) {
      at_a += index[i] * a.dims[i].stride;
      at_b += index[i] * b.dims[i].stride;
    }
    visit(at_a, at_b);
    std::size_t axis = index.empty() ? 0 : index.size() - 1;
    while (axis > 0 && ++index[axis - 1] == a.dims[axis - 1].extent) index[--axis] = 0;
    if (axis == 0) return;
  }
}

Region::Dim row_of(const Region& region) {
  return region.dims.empty() ? Region::Dim{1, region.element_bytes} : region.dims.back();
}

/// Both regions have the same extents.
void copy_region(const std::byte* from, const Region& source, std::byte* to, const Region& target) {
  const Region::Dim read = row_of(source);
  const Region::Dim written = row_of(target);
  const auto bytes = static_cast<std::size_t>(source.element_bytes);
  const bool dense = read.stride == source.element_bytes && written.stride == source.element_bytes;
  for_each_row(source, target, [&](std::int64_t begin, std::int64_t target_begin) {
    if (dense) {
      std::memcpy(to + target_begin, from + begin, bytes * static_cast<std::size_t>(read.extent));
      return;
    }
    for (std::int64_t i = 0; i < read.extent; ++i)
      std::memcpy(to + target_begin + i * written.stride, from + begin + i * read.stride, bytes);
  });
}

void fill_region(std::byte* to, const Region& region, std::byte with) {
  const Region::Dim row = row_of(region);
  for_each_row(region, region, [&](std::int64_t begin, std::int64_t) {
    for (std::int64_t i = 0; i < row.extent; ++i)
      std::memset(to + begin + i * row.stride, static_cast<int>(with),
                  static_cast<std::size_t>(region.element_bytes));
  });
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
  if (!value.producer.valid()) return own_[id.at()];
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
    fill_region(begin_of(id), written_region(graph_.value(id), placement(id), step), garbage_);
  }
}

std::vector<Tensor> FakeMemory::outputs() const {
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph_.outputs()) outputs.push_back(read(output.value));
  return outputs;
}

}  // namespace braid
