#include "rewrite/in_place.h"

#include "ops/cast.h"

namespace braid {

std::optional<Dims> tap_in_place(const Window& window) {
  Dims tap;
  for (std::size_t i = 0; i < window.axes(); ++i) {
    if (window.strides[i] != 1 || window.pads_begin[i] % window.dilations[i] != 0)
      return std::nullopt;
    tap.push_back(window.pads_begin[i] / window.dilations[i]);
    if (tap.back() >= window.kernel[i]) return std::nullopt;
  }
  return tap;
}

Tensor handing_on(const TensorType& type, std::int64_t groups, const Dims& tap,
                  std::vector<double> factors) {
  return Tensor::promised(type, [type, groups, tap, factors = std::move(factors)] {
    Tensor weights = Tensor::zeros({ElementType::F64, type.dims});
    const auto data = weights.mutable_data<double>();
    const std::int64_t channels = type.dims[0] / groups;
    for (std::int64_t c = 0; c < type.dims[0]; ++c) {
      std::int64_t at = c * type.dims[1] + c % channels;
      for (std::size_t i = 0; i < tap.size(); ++i) at = at * type.dims[i + 2] + tap[i];
      data[static_cast<std::size_t>(at)] = factors[static_cast<std::size_t>(c)];
    }
    return cast(weights, type.element);
  });
}

}  // namespace braid
