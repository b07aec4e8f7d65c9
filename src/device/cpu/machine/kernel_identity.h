#pragma once

#include <span>
#include <string_view>

namespace braid::cpu {

/// An implementation, or with * at the end all whose names begin so, and a hash of the sources,
/// flags and compiler that its kernels are made of.
struct KernelFamily {
  std::string_view implementation;
  std::string_view hash;
};

/// The lines of kernels/families.txt, whose hashes the build makes. The last is for everything.
std::span<const KernelFamily> kernel_families();

/// The hash of the first family that has the implementation, and so of all kernels together if none
/// has.
std::string_view kernel_identity(std::string_view implementation,
                                 std::span<const KernelFamily> families = kernel_families());

}  // namespace braid::cpu
