#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace braid {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Hash128&) const = default;
};

/// 32 hexadecimal digits.
std::string to_string(const Hash128& hash);
/// Reads what to_string() wrote; nothing if the text is anything else.
std::optional<Hash128> parse_hash(std::string_view text);
Hash128 hash_bytes(std::span<const std::byte> bytes);

/// Builds a 128-bit hash (XXH3) from a row of fields. Strings are hashed with their length, so
/// ("a","b") and ("ab","") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::span<const std::byte> bytes) {
    if (bytes.size() > buffer_.size() - used_) return add_long(bytes);
    if (!bytes.empty()) std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void add(std::string_view text);
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void add(T number) {
    add(std::as_bytes(std::span<const T>(&number, 1)));
  }
  void add(const Hash128& hash);

  Hash128 finish() const;

 private:
  struct State;

  void add_long(std::span<const std::byte> bytes);
  void flush() const;

  // Fields are short and many: they are gathered before they are hashed.
  std::array<std::byte, 512> buffer_;
  mutable std::size_t used_ = 0;
  mutable std::unique_ptr<State> state_;  // null until the buffer was full once
};

}  // namespace braid

template <>
struct std::hash<braid::Hash128> {
  std::size_t operator()(const braid::Hash128& h) const noexcept { return h.low; }
};
