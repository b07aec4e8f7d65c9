#include "device/cpu/onednn/packed_constants.h"

#include "device/cpu/machine/large_pages.h"
#include "device/cpu/onednn/reorder.h"

namespace braid::cpu {
namespace {

Tensor bytes_of_size(std::int64_t size) { return Tensor::uninitialised({ElementType::U8, {size}}); }

Tensor pack(const Tensor& constant, std::int64_t offset, const dnnl::memory::desc& given,
            const dnnl::memory::desc& wanted) {
  Tensor plain = constant.aligned();
  if (given == wanted && offset == 0) return plain;
  ScratchLayout scratch;
  Reorder reorder(given, wanted, scratch);
  reorder.make();
  Tensor room = bytes_of_size(scratch.bytes());
  const auto size = static_cast<std::int64_t>(wanted.get_size());
  HeldBytes packed = room_for_constant(size);
  reorder.run(plain.bytes().data() + offset, packed.bytes, room.mutable_bytes().data());
  return Tensor::borrow({ElementType::U8, {size}}, packed.bytes, std::move(packed.owner));
}

}  // namespace

Tensor PackedConstants::get(const Tensor& constant, std::int64_t offset,
                            const dnnl::memory::desc& given, const dnnl::memory::desc& wanted) {
  const std::byte* source = constant.bytes().data();
  for (const Entry& entry : entries_)
    if (entry.source == source && entry.offset == offset && entry.given == given &&
        entry.wanted == wanted)
      return entry.packed;
  entries_.push_back({source, offset, given, wanted, pack(constant, offset, given, wanted)});
  return entries_.back().packed;
}

}  // namespace braid::cpu
