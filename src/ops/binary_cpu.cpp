#include "device/cpu/kernels/broadcast_rows.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/arithmetic.h"

namespace braid::cpu {
namespace {

struct Sum {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    return add(a, b);
  }
};

struct Remaining {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    return subtract(a, b);
  }
};

struct Product {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    return multiply(a, b);
  }
};

struct Quotient {
  template <class T>
  [[gnu::always_inline]] static T of(T a, T b) {
    return divide(a, b);
  }
};

template <class T>
RunRows integer_function(std::string_view op) {
  if (op == "Add") return run_pairs<Sum, T, T>;
  if (op == "Sub") return run_pairs<Remaining, T, T>;
  return op == "Mul" ? run_pairs<Product, T, T> : run_pairs<Quotient, T, T>;
}

struct Both {
  [[gnu::always_inline]] static bool of(bool a, bool b) { return a && b; }
};

struct Either {
  [[gnu::always_inline]] static bool of(bool a, bool b) { return a || b; }
};

struct OnlyOne {
  [[gnu::always_inline]] static bool of(bool a, bool b) { return a != b; }
};

}  // namespace

std::optional<Way> prepare_integers(const OpCall& call) {
  const ElementType element = call.outputs[0].element;
  if (element == ElementType::I64)
    return prepare_rows(call, "integers", integer_function<std::int64_t>(call.op));
  if (element == ElementType::I32)
    return prepare_rows(call, "integers", integer_function<std::int32_t>(call.op));
  return std::nullopt;
}

std::optional<Way> prepare_logic(const OpCall& call) {
  if (call.op == "And") return prepare_rows(call, "logic", run_pairs<Both, bool, bool>);
  if (call.op == "Or") return prepare_rows(call, "logic", run_pairs<Either, bool, bool>);
  return prepare_rows(call, "logic", run_pairs<OnlyOne, bool, bool>);
}

}  // namespace braid::cpu
