#include "device/cpu/onednn/reorder.h"

#include "base/checked.h"

namespace braid::cpu {

dnnl::stream& stream() {
  thread_local dnnl::stream instance(engine());
  return instance;
}

std::int64_t ScratchLayout::add(std::size_t bytes) {
  constexpr std::int64_t alignment = 64;
  const std::int64_t offset = bytes_;
  bytes_ = checked_add(
      bytes_, checked_mul(ceil_div(static_cast<std::int64_t>(bytes), alignment), alignment));
  return offset;
}

Reorder::Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to,
                 ScratchLayout& scratch)
    : from_(from), to_(to), desc_(engine(), from, engine(), to, attributes_with({})) {
  scratch_offset_ = scratch.add(desc_.scratchpad_desc().get_size());
}

void Reorder::run(const std::byte* from, std::byte* to, std::byte* scratch) const {
  const dnnl::memory source(from_, engine(), handle(from));
  const dnnl::memory target(to_, engine(), to);
  const dnnl::memory pad(desc_.scratchpad_desc(), engine(), scratch + scratch_offset_);
  primitive_.execute(stream(),
                     {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}, {DNNL_ARG_SCRATCHPAD, pad}});
}

}  // namespace braid::cpu
