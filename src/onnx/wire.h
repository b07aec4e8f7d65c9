#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace braid::onnx {

/// The number of the field TensorProto.raw_data.
inline constexpr std::uint32_t kRawData = 9;

/// How the bytes of a protobuf field are written. Groups, which ONNX never had, are refused.
enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t varint = 0;          ///< of a Varint
  std::span<const std::byte> bytes;  ///< the contents: of Bytes without the length
  std::span<const std::byte> whole;  ///< from the tag to the end of the contents
};

/// Walks over the fields of one protobuf message without copying or descending. Never reads outside
/// `message`; throws Model, telling the byte, where the message is malformed. `file` is the span
/// that byte positions count from.
class WireReader {
 public:
  WireReader(std::span<const std::byte> message, std::span<const std::byte> file)
      : at_(message.data()), end_(message.data() + message.size()), file_(file) {}

  /// The next field; none at the end.
  std::optional<WireField> next();
  bool done() const { return at_ == end_; }
  std::uint64_t varint();
  std::span<const std::byte> take(std::uint64_t bytes);

 private:
  [[noreturn]] void malformed(const char* what) const;

  const std::byte* at_;
  const std::byte* end_;
  std::span<const std::byte> file_;
};

}  // namespace braid::onnx
