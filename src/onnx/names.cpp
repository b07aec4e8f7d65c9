#include "onnx/names.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The bytes of the UTF-8 character that begins the text; 0 if none does.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!continues(text[i])) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool beyond = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || beyond ? 0 : bytes;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace

void check_name(std::string_view name, const Quotas& quotas) {
  if (static_cast<std::int64_t>(name.size()) > quotas.name_bytes)
    raise(ErrorKind::Quota, fmt::format("the name {} has {} bytes, more than {} (quota "
                                        "'name_bytes')",
                                        quote(name), name.size(), quotas.name_bytes));
  if (!is_utf8(name))
    raise(ErrorKind::Model, fmt::format("the name {} is not valid UTF-8", quote(name)));
}

std::string_view shortened(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  if (name.size() <= kLongest) return name;
  std::size_t end = kLongest;
  while (end > 0 && continues(name[end])) --end;
  return name.substr(0, end);
}

}  // namespace braid::onnx
