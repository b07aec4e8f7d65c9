#include "tests/fuzz/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "base/error.h"
#include "graph/order.h"
#include "ops/call.h"
#include "tensor/element.h"
#include "tests/fuzz/fuzz.h"

namespace braid::fuzz {
namespace {

constexpr double kShake = 1e-4;

/// The tolerance as a part of the largest element.
double tolerance_of(ElementType type) {
  if (type == ElementType::F16) return 4e-3;
  if (type == ElementType::BF16) return 3e-2;
  return 1e-4;
}

double largest_of(ElementType type) {
  if (type == ElementType::F16) return 65504;
  if (type == ElementType::F64) return std::numeric_limits<double>::max();
  return std::numeric_limits<float>::max();
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers;
  const Tensor aligned = tensor.aligned();
  dispatch(tensor.element(), [&](auto tag) {
    for (auto x : aligned.data<typename decltype(tag)::type>())
      numbers.push_back(static_cast<double>(load(x)));
  });
  return numbers;
}

/// Whether both are no number, both the same, or one overflowed where the other just did not.
bool same_special(double a, double b, double most) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) && std::isinf(b)) return a == b;
  const double clipped_a = std::clamp(a, -most, most);
  const double clipped_b = std::clamp(b, -most, most);
  return std::fabs(clipped_a - clipped_b) <= 0.02 * most;
}

void shake(Tensor& tensor, std::mt19937& random) {
  if (!is_float_type(tensor.element())) return;
  Tensor shaken = Tensor::uninitialised(tensor.type());
  std::uniform_real_distribution<double> factor(1 - kShake, 1 + kShake);
  dispatch_floats(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor from = tensor.aligned();
    for (std::size_t i = 0; i < from.data<T>().size(); ++i)
      shaken.mutable_data<T>()[i] =
          store<T>(static_cast<Compute<T>>(load(from.data<T>()[i]) * factor(random)));
  });
  tensor = shaken;
}

}  // namespace

void expect_close(const Tensor& got, const Tensor& expected, const Tensor* shaken,
                  FunctionRef<std::string()> where) {
  if (got.type() != expected.type())
    fail(fmt::format("got {}, expected {}: {}", to_string(got.type()), to_string(expected.type()),
                     where()));
  if (shaken != nullptr && (!shaken->defined() || shaken->type() != expected.type())) return;
  const std::vector<double> a = numbers_of(got);
  const std::vector<double> b = numbers_of(expected);
  const std::vector<double> unsure = shaken == nullptr ? b : numbers_of(*shaken);
  double largest = 1e-3;
  double spread = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isfinite(b[i])) largest = std::max(largest, std::fabs(b[i]));
    if (std::isfinite(b[i]) && std::isfinite(unsure[i]))
      spread = std::max(spread, std::fabs(b[i] - unsure[i]));
  }
  const bool real = is_float_type(got.element());
  if (!real && spread > 0) return;
  const double allowed = real ? tolerance_of(got.element()) * largest + 20 * spread : 0;
  const double most = largest_of(got.element());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool finite = std::isfinite(a[i]) && std::isfinite(b[i]);
    if (finite ? std::fabs(a[i] - b[i]) <= allowed : same_special(a[i], b[i], most)) continue;
    if (std::isfinite(b[i]) != std::isfinite(unsure[i])) continue;
    fail(fmt::format("element {} is {}, expected {} within {}: {}", i, a[i], b[i], allowed,
                     where()));
  }
}

bool all_finite(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors)
    if (tensor.defined() && is_float_type(tensor.element()))
      for (const double x : numbers_of(tensor))
        if (!std::isfinite(x)) return false;
  return true;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (identical(a, b)) return true;
  if (a.type() != b.type()) return false;
  const std::vector<double> x = numbers_of(a);
  const std::vector<double> y = numbers_of(b);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i]))) return false;
  return true;
}

std::vector<Tensor> evaluate_shaken(const Graph& graph, std::span<const Tensor> inputs) {
  std::mt19937 random(2);
  std::vector<Tensor> values(graph.value_limit());
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i].at()] = inputs[i];
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) values[id.at()] = graph.value(id).constant;
  try {
    for (NodeId id : topological_order(graph)) {
      const Node& node = graph.node(id);
      std::vector<Tensor> arguments;
      for (ValueId input : node.inputs)
        arguments.push_back(input.valid() ? values[input.at()] : Tensor{});
      std::vector<Tensor> results = evaluate(node, arguments);
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i].valid()) {
          shake(results.at(i), random);
          values[node.outputs[i].at()] = results[i];
        }
    }
  } catch (const Error&) {
    return values;  // A shape or an index that a shaken number decides: what follows is unsure.
  }
  return values;
}

}  // namespace braid::fuzz
