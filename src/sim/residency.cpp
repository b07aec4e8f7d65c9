#include "sim/residency.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

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

/// Equal for equal residents.
std::uint64_t key_of(const SmGroup& group) {
  std::uint64_t key = 0;
  for (const Resident& resident : group.residents)
    key = mix(key ^ static_cast<std::uint32_t>(resident.launch) ^
              std::bit_cast<std::uint64_t>(resident.work_left));
  return key;
}

/// The least room that SMs are levelled to so that at most `blocks` are placed by it.
std::int64_t level_for(const std::vector<SmGroup>& groups, const std::vector<std::int64_t>& room,
                       std::int64_t blocks) {
  std::int64_t low = 0;
  std::int64_t high = *std::max_element(room.begin(), room.end());
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    std::int64_t placed = 0;
    for (std::size_t i = 0; i < groups.size(); ++i)
      placed += std::max<std::int64_t>(0, room[i] - middle) * groups[i].sms;
    if (placed <= blocks)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

Residency::Residency(const GpuSpec& gpu, std::uint64_t placement_seed) : seed_(placement_seed) {
  SmGroup all;
  all.sms = gpu.sms;
  all.free_threads = gpu.sm.threads;
  all.free_blocks = gpu.sm.blocks;
  all.free_registers = gpu.sm.registers;
  all.free_shared_bytes = gpu.sm.shared_bytes;
  groups_.push_back(std::move(all));
}

std::vector<std::size_t> Residency::by_room(const std::vector<std::int64_t>& room) const {
  std::vector<std::size_t> order(groups_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const SmGroup& group = groups_[i];
    const std::uint64_t tie = seed_ == 0 ? group.order : mix(seed_ ^ group.order);
    return std::tuple(-room[i], -group.free_threads, -group.free_registers, tie, i);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return order;
}

std::int64_t Residency::place(std::int32_t launch, const BlockNeeds& needs, std::int64_t blocks,
                              double fill_us) {
  std::vector<std::int64_t> room;
  room.reserve(groups_.size());
  for (const SmGroup& group : groups_) room.push_back(room_for(group, needs));
  if (*std::max_element(room.begin(), room.end()) == 0) return 0;

  const std::int64_t level = level_for(groups_, room, blocks);
  std::int64_t left = blocks;
  for (std::size_t i = 0; i < room.size(); ++i)
    left -= std::max<std::int64_t>(0, room[i] - level) * groups_[i].sms;
  // The SMs are level now; what is left goes one by one to those that were freest before.
  std::int64_t extra = level > 0 ? left : 0;
  for (std::size_t i : by_room(room)) {
    const std::int64_t levelled = std::max<std::int64_t>(0, room[i] - level);
    if (extra > 0 && room[i] >= level) {
      const auto taken = static_cast<std::int32_t>(std::min<std::int64_t>(extra, groups_[i].sms));
      if (taken < groups_[i].sms) {
        SmGroup rest = groups_[i];
        rest.sms -= taken;
        rest.order += static_cast<std::uint64_t>(taken);
        groups_[i].sms = taken;
        add(rest, launch, needs, levelled, fill_us);
        groups_.push_back(std::move(rest));
      }
      add(groups_[i], launch, needs, levelled + 1, fill_us);
      extra -= taken;
      left -= taken;
    } else {
      add(groups_[i], launch, needs, levelled, fill_us);
    }
  }
  return blocks - left;
}

void Residency::add(SmGroup& group, std::int32_t launch, const BlockNeeds& needs,
                    std::int64_t count, double fill_us) {
  if (count == 0) return;
  group.residents.push_back({launch, static_cast<std::int32_t>(count), fill_us, 1, 0});
  release(group, needs, -static_cast<std::int32_t>(count));
}

void Residency::release(SmGroup& group, const BlockNeeds& needs, std::int32_t count) {
  group.free_threads += needs.threads * count;
  group.free_blocks += count;
  group.free_registers += needs.registers * count;
  group.free_shared_bytes += needs.shared_bytes * count;
}

void Residency::merge() {
  keys_.clear();
  for (const SmGroup& group : groups_) keys_.push_back(key_of(group));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (std::size_t j = groups_.size() - 1; j > i; --j) {
      if (keys_[i] != keys_[j] || groups_[i].residents != groups_[j].residents) continue;
      groups_[i].sms += groups_[j].sms;
      groups_[i].order = std::min(groups_[i].order, groups_[j].order);
      if (j + 1 < groups_.size()) groups_[j] = std::move(groups_.back());
      keys_[j] = keys_.back();
      groups_.pop_back();
      keys_.pop_back();
    }
  }
}

}  // namespace braid::sim
