#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <braid/tensor.h>

namespace braid {

using NamedTensor = std::pair<std::string, Tensor>;

/// A NumPy array file. Native, swapped and Fortran-ordered arrays are read; elements that Braid has
/// no type for are Unsupported. The two-byte void type, as which NumPy stores bfloat16, is read as
/// bfloat16. Throws Model if the file is malformed.
Tensor read_npy(const std::filesystem::path& path);
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

/// A NumPy archive: names without ".npy", in the order of the archive. Throws Model if it is
/// malformed, and Quota, before the memory is taken, if its compressed members hold more than
/// `most_bytes` (0: what the machine has).
std::vector<NamedTensor> read_npz(const std::filesystem::path& path, std::int64_t most_bytes = 0);
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors);

/// The array in these bytes; it borrows them where it can. `name` is for messages.
Tensor parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name);

}  // namespace braid
