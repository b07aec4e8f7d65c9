#include "device/cpu/kernels/each_element.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/arithmetic.h"

namespace braid::cpu {
namespace {

template <class To>
struct Converted {
  template <class From>
  [[gnu::always_inline]] static To of(From x) {
    return convert<To>(x);
  }
};

/// Calls `f(ElementTag<T>{})` with the type; nothing for one that is left to `evaluate`.
template <class F>
std::optional<Way> with_type(ElementType element, const F& f) {
  switch (element) {
    case ElementType::F32:
      return f(ElementTag<float>{});
    case ElementType::F64:
      return f(ElementTag<double>{});
    case ElementType::I32:
      return f(ElementTag<std::int32_t>{});
    case ElementType::I64:
      return f(ElementTag<std::int64_t>{});
    case ElementType::U8:
      return f(ElementTag<std::uint8_t>{});
    case ElementType::Bool:
      return f(ElementTag<bool>{});
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Way> prepare_cast(const OpCall& call) {
  return with_type(call.input(0).element, [&](auto from) {
    return with_type(call.outputs[0].element, [&](auto to) -> std::optional<Way> {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      return prepare_each<Converted<To>, From, To>(call, "cast");
    });
  });
}

}  // namespace braid::cpu
