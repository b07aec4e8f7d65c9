#pragma once

#include "device/cpu/onednn/onednn.h"

namespace braid::cpu {

/// The calling thread's own stream.
dnnl::stream& stream();

/// oneDNN's memory handles are not const; it writes to outputs only.
inline void* handle(const std::byte* bytes) { return const_cast<std::byte*>(bytes); }

/// Runs `body` with oneDNN's errors as ours.
template <class Body>
auto calling_onednn(Body body) {
  try {
    return body();
  } catch (const dnnl::error& error) {
    raise_onednn(error);
  }
}

/// Hands out pieces of the scratch memory.
class ScratchLayout {
 public:
  std::int64_t add(std::size_t bytes);
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

/// Brings a tensor into another layout.
class Reorder {
 public:
  Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to, ScratchLayout& scratch);

  /// Generates code; comes before the first run.
  void make() { primitive_ = dnnl::reorder(desc_); }
  void run(const std::byte* from, std::byte* to, std::byte* scratch) const;

 private:
  dnnl::memory::desc from_;
  dnnl::memory::desc to_;
  dnnl::reorder::primitive_desc desc_;
  dnnl::primitive primitive_;
  std::int64_t scratch_offset_ = 0;
};

}  // namespace braid::cpu
