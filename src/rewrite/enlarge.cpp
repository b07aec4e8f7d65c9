#include "rewrite/enlarge.h"

#include "rewrite/recipe.h"

namespace braid {

std::optional<Window> common_window(const Window& a, const Window& b) {
  if (a.input != b.input || a.strides != b.strides) return std::nullopt;
  Window common = a;
  for (std::size_t i = 0; i < a.axes(); ++i) {
    const Window& large = a.kernel[i] < b.kernel[i] ? b : a;
    const Window& small = a.kernel[i] < b.kernel[i] ? a : b;
    const std::int64_t more = large.kernel[i] - small.kernel[i];
    if (2 * (large.pads_begin[i] - small.pads_begin[i]) != more ||
        2 * (large.pads_end[i] - small.pads_end[i]) != more)
      return std::nullopt;
    if (a.dilations[i] != b.dilations[i] || (more > 0 && a.dilations[i] != 1)) return std::nullopt;
    common.kernel[i] = large.kernel[i];
    common.pads_begin[i] = large.pads_begin[i];
    common.pads_end[i] = large.pads_end[i];
  }
  return common;
}

Tensor enlarged(const Tensor& weights, const Dims& kernel) {
  Dims rim(weights.dims().size(), 0);
  for (std::size_t i = 0; i < kernel.size(); ++i)
    rim[i + 2] = (kernel[i] - weights.dims()[i + 2]) / 2;
  return padded(weights, rim, rim);
}

}  // namespace braid
