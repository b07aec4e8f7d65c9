#include "device/cpu/kernels/broadcast_rows.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

struct Equal {
  template <class T>
  [[gnu::always_inline]] static bool of(T a, T b) {
    return a == b;
  }
};

struct Less {
  template <class T>
  [[gnu::always_inline]] static bool of(T a, T b) {
    return a < b;
  }
};

struct LessOrEqual {
  template <class T>
  [[gnu::always_inline]] static bool of(T a, T b) {
    return a <= b;
  }
};

struct Greater {
  template <class T>
  [[gnu::always_inline]] static bool of(T a, T b) {
    return a > b;
  }
};

struct GreaterOrEqual {
  template <class T>
  [[gnu::always_inline]] static bool of(T a, T b) {
    return a >= b;
  }
};

/// Null for elements that are left to `evaluate`.
template <class F>
RunRows comparison_of(ElementType element) {
  switch (element) {
    case ElementType::F32:
      return run_pairs<F, float, bool>;
    case ElementType::I32:
      return run_pairs<F, std::int32_t, bool>;
    case ElementType::I64:
      return run_pairs<F, std::int64_t, bool>;
    default:
      return nullptr;
  }
}

RunRows comparison(std::string_view op, ElementType element) {
  if (op == "Equal") return comparison_of<Equal>(element);
  if (op == "Less") return comparison_of<Less>(element);
  if (op == "LessOrEqual") return comparison_of<LessOrEqual>(element);
  return op == "Greater" ? comparison_of<Greater>(element) : comparison_of<GreaterOrEqual>(element);
}

}  // namespace

std::optional<Way> prepare_compare(const OpCall& call) {
  const RunRows run = comparison(call.op, call.input(0).element);
  if (run == nullptr) return std::nullopt;
  return prepare_rows(call, "compare", run);
}

}  // namespace braid::cpu
