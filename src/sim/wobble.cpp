#include "sim/wobble.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "base/hash.h"

namespace braid::sim {

namespace {

double from_minus_one_to_one(const Hash128& digest) {
  return 2 * (static_cast<double>(digest.low >> 11U) / 9007199254740992.0) - 1;
}

}  // namespace

double wobble(int draw, std::string_view what, std::uint64_t which) {
  std::array<char, 64> text = {};
  const std::size_t length = std::min(what.size(), text.size() - sizeof(draw) - sizeof(which));
  std::memcpy(text.data(), &draw, sizeof(draw));
  std::memcpy(text.data() + sizeof(draw), &which, sizeof(which));
  std::memcpy(text.data() + sizeof(draw) + sizeof(which), what.data(), length);
  return from_minus_one_to_one(hash_bytes(std::as_bytes(std::span(text))));
}

double wobble(int draw, std::string_view what) {
  const std::string text = std::to_string(draw) + "/" + std::string(what);
  const Hash128 digest = hash_bytes(std::as_bytes(std::span(text)));
  return from_minus_one_to_one(digest);
}

}  // namespace braid::sim
