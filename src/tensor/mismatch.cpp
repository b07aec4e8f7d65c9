#include "tensor/mismatch.h"

#include <algorithm>

#include "tensor/each_pair.h"

namespace braid {
namespace {

Dims index_of(std::size_t number, const Dims& dims) {
  auto rest = static_cast<std::int64_t>(number);
  Dims index(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    index[i] = rest % dims[i];
    rest /= dims[i];
  }
  return index;
}

template <class T>
Number number_of(T x) {
  if constexpr (is_float<T>)
    return static_cast<double>(load(x));
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return x;
  else
    return static_cast<std::int64_t>(x);
}

void count(double x, NotFinite& found) {
  if (std::isnan(x)) ++found.nan;
  if (std::isinf(x)) ++found.infinite;
}

}  // namespace

Mismatch mismatch(const Tensor& tensor, const Tensor& reference, double allowed) {
  Mismatch found;
  double farthest = 0;
  each_pair(tensor, reference, [&](std::size_t i, auto got, auto expected) {
    count(static_cast<double>(load(got)), found.got);
    count(static_cast<double>(load(expected)), found.expected);
    const double apart = distance_of(got, expected);
    if (std::isfinite(apart)) found.largest_finite = std::max(found.largest_finite, apart);
    if (!(apart > allowed)) return;
    ++found.count;
    if (apart <= farthest) return;
    farthest = apart;
    found.worst = {index_of(i, tensor.dims()), number_of(got), number_of(expected)};
    if (!found.first) found.first = found.worst;
  });
  return found;
}

}  // namespace braid
