#pragma once

#include <vector>

#include "device/cpu/onednn/onednn.h"

namespace braid::cpu {

/// Constants of a node in the layouts that its primitives want, each made once.
class PackedConstants {
 public:
  /// `given` describes the constant's bytes from `offset` on.
  Tensor get(const Tensor& constant, std::int64_t offset, const dnnl::memory::desc& given,
             const dnnl::memory::desc& wanted);

 private:
  struct Entry {
    const std::byte* source;
    std::int64_t offset;
    dnnl::memory::desc given;
    dnnl::memory::desc wanted;
    Tensor packed;
  };
  std::vector<Entry> entries_;
};

}  // namespace braid::cpu
