#include "device/cpu/machine/touch.h"

namespace braid::cpu {
namespace {

constexpr std::size_t kLine = 64;

}  // namespace

void touch(std::span<const std::byte> bytes) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += kLine) sum += std::to_integer<unsigned>(bytes[i]);
  // Keeps the compiler from leaving out reads whose result is not used.
  asm volatile("" : : "r"(sum) : "memory");
}

}  // namespace braid::cpu
