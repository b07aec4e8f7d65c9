#include "base/hash.h"

#include <charconv>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace braid {

struct Hasher::State {
  XXH3_state_t xxh;
};

std::string to_string(const Hash128& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::optional<Hash128> parse_hash(std::string_view text) {
  constexpr std::size_t digits = 16;  // of each half
  if (text.size() != 2 * digits) return std::nullopt;
  const auto read = [&](std::size_t from, std::uint64_t& number) {
    const char* const end = text.data() + from + digits;
    const auto [stop, problem] = std::from_chars(text.data() + from, end, number, 16);
    return problem == std::errc() && stop == end;
  };
  Hash128 hash;
  if (!read(0, hash.high) || !read(digits, hash.low)) return std::nullopt;
  return hash;
}

Hash128 hash_bytes(std::span<const std::byte> bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.high64, h.low64};
}

Hasher::Hasher() = default;
Hasher::~Hasher() = default;

void Hasher::flush() const {
  if (state_ == nullptr) {
    state_ = std::make_unique<State>();
    XXH3_128bits_reset(&state_->xxh);
  }
  XXH3_128bits_update(&state_->xxh, buffer_.data(), used_);
  used_ = 0;
}

void Hasher::add_long(std::span<const std::byte> bytes) {
  flush();
  if (bytes.size() > buffer_.size())
    XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  else
    add(bytes);
}

void Hasher::add(std::string_view text) {
  add(text.size());
  add(std::as_bytes(std::span(text.data(), text.size())));
}

void Hasher::add(const Hash128& hash) {
  add(hash.high);
  add(hash.low);
}

Hash128 Hasher::finish() const {
  if (state_ == nullptr) return hash_bytes(std::span(buffer_.data(), used_));
  flush();
  const XXH128_hash_t h = XXH3_128bits_digest(&state_->xxh);
  return {h.high64, h.low64};
}

}  // namespace braid
