#include "device/cpu/kernels/each_element.h"
#include "device/cpu/kernels/small_floats.h"
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

/// Between float32 and one of its halves.
template <class Half>
std::optional<Way> prepare_half(const OpCall& call, ElementType half) {
  const ElementType from = call.input(0).element;
  const ElementType to = call.outputs[0].element;
  if (from == half && to == ElementType::F32)
    return prepare_each<Widened, Half, float>(call, "cast");
  if (from == ElementType::F32 && to == half)
    return prepare_each<Narrowed<Half>, float, Half>(call, "cast");
  return std::nullopt;
}

}  // namespace

std::optional<Way> prepare_cast(const OpCall& call) {
  if (auto way = prepare_half<Float16>(call, ElementType::F16)) return way;
  if (auto way = prepare_half<BFloat16>(call, ElementType::BF16)) return way;
  return with_type(call.input(0).element, [&](auto from) {
    return with_type(call.outputs[0].element, [&](auto to) -> std::optional<Way> {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      return prepare_each<Converted<To>, From, To>(call, "cast");
    });
  });
}

}  // namespace braid::cpu
