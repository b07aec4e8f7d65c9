#include "device/cpu/machine/kernel_identity.h"

namespace braid::cpu {
namespace {

bool has(const KernelFamily& family, std::string_view implementation) {
  const std::string_view name = family.implementation;
  return name.ends_with('*') ? implementation.starts_with(name.substr(0, name.size() - 1))
                             : implementation == name;
}

}  // namespace

std::string_view kernel_identity(std::string_view implementation,
                                 std::span<const KernelFamily> families) {
  for (const KernelFamily& family : families)
    if (has(family, implementation)) return family.hash;
  return {};
}

}  // namespace braid::cpu
