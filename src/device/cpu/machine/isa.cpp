#include "device/cpu/machine/isa.h"

#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cpu {
namespace {

struct Named {
  std::string_view name;
  Isa isa;
};
constexpr std::array kNames = {Named{"baseline", Isa::Baseline}, Named{"avx2", Isa::Avx2},
                               Named{"avx512", Isa::Avx512}};

}  // namespace

std::string_view name(Isa isa) { return kNames[static_cast<std::size_t>(isa)].name; }

Isa isa_named(std::string_view name, std::string_view where) {
  for (const Named& known : kNames)
    if (known.name == name) return known.isa;
  raise(ErrorKind::Usage, fmt::format("{} names the instruction set {}, expected baseline, avx2 or "
                                      "avx512",
                                      where, quote(name)));
}

}  // namespace braid::cpu
