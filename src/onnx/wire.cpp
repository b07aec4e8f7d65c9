#include "onnx/wire.h"

#include <fmt/format.h>

#include "base/error.h"

namespace braid::onnx {

void WireReader::malformed(const char* what) const {
  raise(ErrorKind::Model, fmt::format("not a valid ONNX file: {} at byte {} of {}", what,
                                      at_ - file_.data(), file_.size()));
}

std::uint64_t WireReader::varint() {
  constexpr int kLongest = 10;
  std::uint64_t value = 0;
  for (int i = 0; i < kLongest; ++i) {
    if (at_ + i == end_) malformed("a number is cut off");
    const auto byte = std::to_integer<std::uint64_t>(at_[i]);
    if (i == kLongest - 1 && byte > 1) malformed("a number is too long");
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      at_ += i + 1;
      return value;
    }
  }
  malformed("a number is too long");
}

std::span<const std::byte> WireReader::take(std::uint64_t bytes) {
  if (bytes > static_cast<std::uint64_t>(end_ - at_)) malformed("a field is cut off");
  const std::span<const std::byte> taken(at_, static_cast<std::size_t>(bytes));
  at_ += bytes;
  return taken;
}

std::optional<WireField> WireReader::next() {
  if (done()) return std::nullopt;
  constexpr std::uint64_t kLargestFieldNumber = (1U << 29) - 1;
  const std::byte* start = at_;
  const std::uint64_t tag = varint();
  WireField field;
  if (tag >> 3 == 0 || tag >> 3 > kLargestFieldNumber) malformed("a field has a bad number");
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  switch (field.type) {
    case WireType::Varint: {
      const std::byte* first = at_;
      field.varint = varint();
      field.bytes = {first, at_};
      break;
    }
    case WireType::Fixed64:
      field.bytes = take(8);
      break;
    case WireType::Fixed32:
      field.bytes = take(4);
      break;
    case WireType::Bytes:
      field.bytes = take(varint());
      break;
    default:
      malformed("a field has a bad type");
  }
  field.whole = {start, at_};
  return field;
}

}  // namespace braid::onnx
