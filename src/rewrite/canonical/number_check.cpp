#include "rewrite/canonical/number_check.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/call.h"
#include "tensor/element.h"
#include "tensor/random_tensor.h"
#include "tensor/tolerance.h"

namespace braid {
namespace {

constexpr double kMostWork = 2e9;
constexpr std::uint64_t kSeed = 20231;

/// Numbers for which little is lost: small whole ones where elements are integers.
NumberRange range_of(ElementType element) {
  if (is_float_type(element)) return {-1, 1};
  if (element == ElementType::Bool) return {0, 1};
  return (kSigned & set_of(element)) != 0 ? NumberRange{-3, 3} : NumberRange{0, 3};
}

double total_work(const Graph& graph) {
  double sum = 0;
  for (NodeId id : graph.node_ids()) {
    const Work one = work(graph, id);
    sum += one.flops + static_cast<double>(one.bytes_read) + static_cast<double>(one.bytes_written);
  }
  return sum;
}

}  // namespace

double relative_difference(const Tensor& a, const Tensor& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.type() != b.type()) return infinity;
  if (!is_float_type(a.element())) return identical(a, b) ? 0 : infinity;
  return dispatch(a.element(), [&](auto tag) -> double {
    using T = typename decltype(tag)::type;
    const Tensor left = a.aligned();
    const Tensor right = b.aligned();
    const auto x = left.data<T>();
    const auto y = right.data<T>();
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto p = static_cast<double>(load(x[i]));
      const auto q = static_cast<double>(load(y[i]));
      if (p == q || (std::isnan(p) && std::isnan(q))) {
        if (std::isfinite(p)) largest = std::max(largest, std::abs(p));
        continue;
      }
      if (!std::isfinite(p) || !std::isfinite(q)) return infinity;
      difference = std::max(difference, std::abs(p - q));
      largest = std::max({largest, std::abs(p), std::abs(q)});
    }
    return difference == 0 ? 0 : difference / largest;
  });
}

double most_rounding(const Tensor& tensor) { return usual_tolerance(tensor.element()).relative; }

NumberCheck::NumberCheck(const Graph& original) {
  if (total_work(original) > kMostWork) return;
  std::vector<Tensor> inputs;
  for (ValueId id : original.inputs())
    inputs.push_back(random_tensor(
        original.value(id).type, range_of(original.value(id).type.element), kSeed + inputs.size()));
  try {
    const std::vector<Tensor> values = evaluate(original, inputs);
    for (const GraphOutput& output : original.outputs())
      outputs_.push_back(values[output.value.at()]);
    inputs_ = std::move(inputs);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Model && error.kind() != ErrorKind::Unsupported) throw;
    outputs_.clear();
  }
}

void NumberCheck::check(const Graph& rewritten, std::string_view step) const {
  if (outputs_.empty()) return;
  const std::vector<Tensor> values = evaluate(rewritten, inputs_);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const GraphOutput& output = rewritten.outputs()[i];
    const double difference = relative_difference(outputs_[i], values[output.value.at()]);
    if (difference > most_rounding(outputs_[i]))
      raise(ErrorKind::Internal,
            fmt::format("step '{}' changed output {} by {:.2g} of its largest element", step,
                        quote(output.name), difference));
  }
}

}  // namespace braid
