#include "explain/gpu_room.h"

#include <algorithm>
#include <array>

#include "sim/kernel.h"

namespace braid {

std::string_view name(Room room) {
  constexpr std::array<std::string_view, 4> names = {"blocks", "threads", "registers",
                                                     "shared memory"};
  return names[static_cast<std::size_t>(room)];
}

Filling filling_of(const sim::GpuSpec& gpu, const Footprint& launch) {
  sim::Kernel kernel;
  kernel.blocks = launch.blocks;
  kernel.threads = std::max(1, launch.threads);
  kernel.registers = launch.registers;
  kernel.shared_bytes = launch.shared_bytes;
  const sim::BlockNeeds needs = sim::block_needs(gpu, kernel);
  const auto times = [](std::int64_t has, std::int64_t needed) {
    return needed > 0 ? has / needed : has;
  };
  const std::array<std::int64_t, 4> room = {
      gpu.sm.blocks, times(gpu.sm.threads, needs.threads), times(gpu.sm.registers, needs.registers),
      needs.shared_bytes > 0 ? times(gpu.sm.shared_bytes, needs.shared_bytes) : gpu.sm.blocks};
  const auto least = std::min_element(room.begin(), room.end());
  Filling filling;
  filling.blocks_per_sm = static_cast<int>(std::max<std::int64_t>(1, *least));
  filling.limit = static_cast<Room>(least - room.begin());
  filling.fills = static_cast<double>(launch.blocks) /
                  (static_cast<double>(filling.blocks_per_sm) * std::max(1, gpu.sms));
  return filling;
}

}  // namespace braid
