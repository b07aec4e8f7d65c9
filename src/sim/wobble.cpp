#include "sim/wobble.h"

#include <span>
#include <string>

#include "base/hash.h"

namespace braid::sim {

double wobble(int draw, std::string_view what) {
  const std::string text = std::to_string(draw) + "/" + std::string(what);
  const Hash128 digest = hash_bytes(std::as_bytes(std::span(text)));
  return 2 * (static_cast<double>(digest.low >> 11U) / 9007199254740992.0) - 1;
}

}  // namespace braid::sim
