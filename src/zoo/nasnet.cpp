#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/checked.h"
#include "zoo/layers.h"
#include "zoo/networks.h"

// Zoph et al., "Learning Transferable Architectures for Scalable Image Recognition", NASNet-A. Like
// the original, layers are padded so that an odd or even size n gives n / stride rounded up, with
// the smaller half of the padding at the top left.

namespace braid::zoo {
namespace {

constexpr float kNasNetEpsilon = 1e-3F;

Margins padding(const Dims& image, std::int64_t kernel, std::int64_t stride) {
  const auto missing = [&](std::int64_t size) {
    return std::max<std::int64_t>(0, (ceil_div(size, stride) - 1) * stride + kernel - size);
  };
  const std::int64_t rows = missing(image[2]);
  const std::int64_t columns = missing(image[3]);
  return {rows / 2, columns / 2, rows - rows / 2, columns - columns / 2};
}

struct Separable {
  std::int64_t channels;
  std::int64_t kernel;
  std::int64_t stride = 1;
};

ValueId separable_half(Layers& net, const std::string& name, const std::string& number, ValueId x,
                       const Separable& shape) {
  const std::int64_t inputs = net.dims(x)[1];
  ValueId y = net.relu(name + "/relu" + number, x);
  y = net.conv(name + "/dw" + number, y,
               {.channels = inputs,
                .kernel = shape.kernel,
                .stride = shape.stride,
                .pad = padding(net.dims(x), shape.kernel, shape.stride),
                .groups = inputs});
  y = net.conv(name + "/pw" + number, y, {.channels = shape.channels});
  return net.batch_norm(name + "/bn" + number, y, kNasNetEpsilon);
}

ValueId separable(Layers& net, const std::string& path, ValueId x, const Separable& shape) {
  const std::string name = fmt::format("{}/sep{}", path, shape.kernel);
  const ValueId y = separable_half(net, name, "1", x, shape);
  return separable_half(net, name, "2", y, {.channels = shape.channels, .kernel = shape.kernel});
}

ValueId max3(Layers& net, const std::string& path, ValueId x) {
  return net.max_pool(path + "/max3", x, {.stride = 2, .pad = padding(net.dims(x), 3, 2)});
}

ValueId avg3(Layers& net, const std::string& path, ValueId x, std::int64_t stride) {
  return net.average_pool(
      path + "/avg3", x,
      {.stride = stride, .pad = padding(net.dims(x), 3, stride), .count_include_pad = false});
}

/// Fits a value to the cell's width.
ValueId squeeze(Layers& net, const std::string& name, ValueId x, std::int64_t channels) {
  const ValueId y = net.conv(name + "/conv", net.relu(name + "/relu", x), {.channels = channels});
  return net.batch_norm(name + "/bn", y, kNasNetEpsilon);
}

/// Fits a value of twice the height and width to the cell's: two subsamplings, one of them shifted
/// by a pixel.
ValueId halve(Layers& net, const std::string& name, ValueId x, std::int64_t channels) {
  const auto path = [&](const std::string& branch, bool shifted) {
    ValueId y = net.relu(branch + "/relu", x);
    if (shifted) {
      y = net.pad(branch + "/pad", y, {0, 0, 1, 1});
      y = net.drop_first_row_and_column(branch + "/crop", y);
    }
    y = net.average_pool(branch + "/sample", y,
                         {.kernel = 1, .stride = 2, .count_include_pad = false});
    return net.conv(branch + "/conv", y, {.channels = channels / 2});
  };
  const ValueId even = path(name + "/even", false);
  const ValueId odd = path(name + "/odd", true);
  return net.batch_norm(name + "/bn", net.concat(name + "/concat", {even, odd}), kNasNetEpsilon);
}

/// What normal cells do once both inputs fit: `left` comes from the cell before the last.
ValueId body(Layers& net, const std::string& cell, ValueId left, ValueId right) {
  const std::int64_t f = net.dims(right)[1];
  const auto sep = [&](const std::string& path, ValueId x, std::int64_t kernel) {
    return separable(net, cell + path, x, {.channels = f, .kernel = kernel});
  };
  const auto sum = [&](const std::string& path, ValueId a, ValueId b) {
    return net.add(cell + path + "/add", a, b);
  };
  const ValueId c0 = sum("/c0", sep("/c0/left", right, 5), sep("/c0/right", left, 3));
  const ValueId c1 = sum("/c1", sep("/c1/left", left, 5), sep("/c1/right", left, 3));
  const ValueId c2 = sum("/c2", avg3(net, cell + "/c2/left", right, 1), left);
  const ValueId c3 =
      sum("/c3", avg3(net, cell + "/c3/left", left, 1), avg3(net, cell + "/c3/right", left, 1));
  const ValueId c4 = sum("/c4", sep("/c4/left", right, 3), right);
  return net.concat(cell + "/concat", {left, c0, c1, c2, c3, c4});
}

ValueId normal_cell(Layers& net, const std::string& cell, ValueId previous, ValueId current,
                    std::int64_t f) {
  const ValueId left = squeeze(net, cell + "/left", previous, f);
  const ValueId right = squeeze(net, cell + "/right", current, f);
  return body(net, cell, left, right);
}

ValueId first_cell(Layers& net, const std::string& cell, ValueId previous, ValueId current,
                   std::int64_t f) {
  const ValueId left = halve(net, cell + "/left", previous, f);
  const ValueId right = squeeze(net, cell + "/right", current, f);
  return body(net, cell, left, right);
}

/// Halves height and width; `left` has width f.
ValueId reduction(Layers& net, const std::string& cell, ValueId left, ValueId right) {
  const std::int64_t f = net.dims(left)[1];
  const auto sep = [&](const std::string& path, ValueId x, std::int64_t kernel,
                       std::int64_t stride) {
    return separable(net, cell + path, x, {.channels = f, .kernel = kernel, .stride = stride});
  };
  const auto sum = [&](const std::string& path, ValueId a, ValueId b) {
    return net.add(cell + path + "/add", a, b);
  };
  const ValueId c0 = sum("/c0", sep("/c0/left", left, 5, 2), sep("/c0/right", right, 7, 2));
  const ValueId c1 = sum("/c1", max3(net, cell + "/c1/left", left), sep("/c1/right", right, 7, 2));
  const ValueId c2 =
      sum("/c2", avg3(net, cell + "/c2/left", left, 2), sep("/c2/right", right, 5, 2));
  const ValueId c3 = sum("/c3", avg3(net, cell + "/c3/right", c0, 1), c1);
  const ValueId c4 = sum("/c4", sep("/c4/left", c0, 3, 1), max3(net, cell + "/c4/right", left));
  return net.concat(cell + "/concat", {c1, c2, c3, c4});
}

struct Variant {
  std::int64_t stem_channels;
  std::int64_t filters;         ///< width of the first stage
  int normal_cells;             ///< of a stage, besides its first cell
  bool skip_from_last_but_one;  ///< a later stage's first cell looks back one cell further
};

void nasnet(Layers& net, const Variant& variant) {
  const std::int64_t f0 = variant.filters;
  const ValueId convolution = net.conv(
      "conv0/conv", net.input(0), {.channels = variant.stem_channels, .kernel = 3, .stride = 2});
  const ValueId conv0 = net.batch_norm("conv0/bn", convolution, kNasNetEpsilon);
  const ValueId stem0 = reduction(net, "stem_0", squeeze(net, "stem_0/left", conv0, f0 / 4), conv0);
  const ValueId left = squeeze(net, "stem_1/left", stem0, f0 / 2);
  const ValueId right = halve(net, "stem_1/right", conv0, f0 / 2);
  const ValueId stem1 = reduction(net, "stem_1", left, right);

  ValueId previous = stem0;
  ValueId current = stem1;
  int number = 0;
  const auto next_name = [&] { return fmt::format("cell_{}", number++); };
  for (std::size_t stage = 0; stage < 3; ++stage) {
    const std::int64_t f = f0 << stage;
    previous = std::exchange(current, first_cell(net, next_name(), previous, current, f));
    for (int i = 0; i < variant.normal_cells; ++i)
      previous = std::exchange(current, normal_cell(net, next_name(), previous, current, f));
    if (stage == 2) break;
    const std::string name = fmt::format("reduction_{}", stage);
    const ValueId reduced = reduction(net, name, squeeze(net, name + "/left", current, 2 * f),
                                      squeeze(net, name + "/right", previous, 2 * f));
    if (!variant.skip_from_last_but_one) previous = current;
    current = reduced;
  }
  net.classify(net.relu("head/relu", current));
}

}  // namespace

void nasnet_a_large(Layers& net) {
  nasnet(net,
         {.stem_channels = 96, .filters = 168, .normal_cells = 5, .skip_from_last_but_one = true});
}

void nasnet_a_mobile(Layers& net) {
  nasnet(net,
         {.stem_channels = 32, .filters = 44, .normal_cells = 3, .skip_from_last_but_one = false});
}

}  // namespace braid::zoo
