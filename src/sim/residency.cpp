#include "sim/residency.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace braid::sim {
namespace {

std::int64_t room_for(const SmGroup& group, const BlockNeeds& needs) {
  std::int64_t room = std::min<std::int64_t>(group.free_blocks, group.free_threads / needs.threads);
  room = std::min(room, group.free_registers / needs.registers);
  if (needs.shared_bytes > 0) room = std::min(room, group.free_shared_bytes / needs.shared_bytes);
  return room;
}

/// splitmix64
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// A number that is equal for groups of equal residents.
std::uint64_t key_of(const SmGroup& group) {
  std::uint64_t key = 0;
  for (const Resident& resident : group.residents)
    key = mix(key ^ static_cast<std::uint32_t>(resident.launch) ^
              std::bit_cast<std::uint64_t>(resident.work_left));
  return key;
}

}  // namespace

Residency::Residency(const GpuSpec& gpu, std::uint64_t placement_seed) : seed_(placement_seed) {
  all_.sms = gpu.sms;
  all_.free_threads = gpu.sm.threads;
  all_.free_blocks = gpu.sm.blocks;
  all_.free_registers = gpu.sm.registers;
  all_.free_shared_bytes = gpu.sm.shared_bytes;
  groups_.push_back(all_);
}

void Residency::clear() {
  groups_[0] = all_;
  count_ = 1;
}

/// The least room that SMs are levelled to so that at most `blocks` are placed by it.
std::int64_t Residency::level_for(std::int64_t blocks) const {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (const Room& room : rooms_) high = std::max(high, room.blocks);
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    std::int64_t placed = 0;
    for (const Room& room : rooms_)
      placed += std::max<std::int64_t>(0, room.blocks - middle) * groups_[room.group].sms;
    if (placed <= blocks)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void Residency::sort_freest_first() {
  const auto key = [](const Room& room) {
    return std::tuple(-room.blocks, -room.free_threads, -room.free_registers, room.tie, room.group);
  };
  std::sort(rooms_.begin(), rooms_.end(),
            [&](const Room& a, const Room& b) { return key(a) < key(b); });
}

/// Leaves `sms` of the group's SMs where it is; the others become the last group.
void Residency::split(std::size_t group, std::int32_t sms) {
  if (count_ == groups_.size()) groups_.emplace_back();
  SmGroup& rest = groups_[count_++];
  rest = groups_[group];
  rest.sms -= sms;
  rest.order += static_cast<std::uint64_t>(sms);
  groups_[group].sms = sms;
}

std::int64_t Residency::place(std::int32_t launch, std::int32_t kernel, const BlockNeeds& needs,
                              std::int64_t blocks, double fill_us) {
  rooms_.clear();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const SmGroup& group = groups_[i];
    rooms_.push_back({room_for(group, needs), group.free_threads, group.free_registers,
                      seed_ == 0 ? group.order : mix(seed_ ^ group.order), i});
    most = std::max(most, rooms_.back().blocks);
  }
  if (most == 0) return 0;

  const std::int64_t level = level_for(blocks);
  std::int64_t left = blocks;
  for (const Room& room : rooms_)
    left -= std::max<std::int64_t>(0, room.blocks - level) * groups_[room.group].sms;
  // The SMs are level now; what is left goes one by one to those that were freest before.
  std::int64_t extra = level > 0 ? left : 0;
  if (extra > 0) sort_freest_first();
  const Resident resident{.launch = launch, .kernel = kernel, .fill_left_us = fill_us};
  for (const Room& room : rooms_) {
    std::int64_t count = std::max<std::int64_t>(0, room.blocks - level);
    if (extra > 0 && room.blocks >= level) {
      const auto taken =
          static_cast<std::int32_t>(std::min<std::int64_t>(extra, groups_[room.group].sms));
      if (taken < groups_[room.group].sms) {
        split(room.group, taken);
        add(groups_[count_ - 1], resident, count, needs);
      }
      ++count;
      extra -= taken;
      left -= taken;
    }
    add(groups_[room.group], resident, count, needs);
  }
  return blocks - left;
}

void Residency::add(SmGroup& group, Resident resident, std::int64_t count,
                    const BlockNeeds& needs) {
  if (count == 0) return;
  resident.count = static_cast<std::int32_t>(count);
  group.residents.push_back(resident);
  release(group, needs, -resident.count);
}

void Residency::release(SmGroup& group, const BlockNeeds& needs, std::int32_t count) {
  group.free_threads += needs.threads * count;
  group.free_blocks += count;
  group.free_registers += needs.registers * count;
  group.free_shared_bytes += needs.shared_bytes * count;
}

void Residency::merge() {
  keys_.clear();
  for (const SmGroup& group : groups()) keys_.push_back(key_of(group));
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = count_ - 1; j > i; --j) {
      if (keys_[i] != keys_[j] || groups_[i].residents != groups_[j].residents) continue;
      groups_[i].sms += groups_[j].sms;
      groups_[i].order = std::min(groups_[i].order, groups_[j].order);
      --count_;
      std::swap(groups_[j], groups_[count_]);
      keys_[j] = keys_[count_];
    }
  }
}

}  // namespace braid::sim
