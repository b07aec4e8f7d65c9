#include <string>

#include "zoo/layers.h"
#include "zoo/networks.h"

// Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", as torchvision has
// it.

namespace braid::zoo {
namespace {

constexpr Extent kRow{1, 7};
constexpr Margins kRowPad{0, 3};
constexpr Extent kColumn{7, 1};
constexpr Margins kColumnPad{3, 0};

ValueId inception_unit(Layers& net, const std::string& name, ValueId x, const ConvShape& shape) {
  return net.conv_bn_relu(name, x, shape, 1e-3F);
}

ValueId stem(Layers& net, ValueId x) {
  x = inception_unit(net, "stem/conv1", x, {.channels = 32, .kernel = 3, .stride = 2});
  x = inception_unit(net, "stem/conv2", x, {.channels = 32, .kernel = 3});
  x = inception_unit(net, "stem/conv3", x, {.channels = 64, .kernel = 3, .pad = 1});
  x = net.max_pool("stem/pool1", x, {.stride = 2});
  x = inception_unit(net, "stem/conv4", x, {.channels = 80});
  x = inception_unit(net, "stem/conv5", x, {.channels = 192, .kernel = 3});
  return net.max_pool("stem/pool2", x, {.stride = 2});
}

ValueId pool_branch(Layers& net, const std::string& name, ValueId x, std::int64_t channels) {
  const ValueId pooled = net.average_pool(name + "/pool/avg3", x, {.pad = 1});
  return inception_unit(net, name + "/pool/1x1", pooled, {.channels = channels});
}

ValueId block_a(Layers& net, const std::string& name, ValueId x, std::int64_t pool_channels) {
  const ValueId a = inception_unit(net, name + "/1x1", x, {.channels = 64});
  ValueId b = inception_unit(net, name + "/5x5/reduce", x, {.channels = 48});
  b = inception_unit(net, name + "/5x5/conv", b, {.channels = 64, .kernel = 5, .pad = 2});
  ValueId c = inception_unit(net, name + "/double3x3/reduce", x, {.channels = 64});
  c = inception_unit(net, name + "/double3x3/conv1", c, {.channels = 96, .kernel = 3, .pad = 1});
  c = inception_unit(net, name + "/double3x3/conv2", c, {.channels = 96, .kernel = 3, .pad = 1});
  const ValueId d = pool_branch(net, name, x, pool_channels);
  return net.concat(name + "/concat", {a, b, c, d});
}

ValueId block_b(Layers& net, const std::string& name, ValueId x) {
  const ValueId a =
      inception_unit(net, name + "/3x3", x, {.channels = 384, .kernel = 3, .stride = 2});
  ValueId b = inception_unit(net, name + "/double3x3/reduce", x, {.channels = 64});
  b = inception_unit(net, name + "/double3x3/conv1", b, {.channels = 96, .kernel = 3, .pad = 1});
  b = inception_unit(net, name + "/double3x3/conv2", b, {.channels = 96, .kernel = 3, .stride = 2});
  const ValueId c = net.max_pool(name + "/pool", x, {.stride = 2});
  return net.concat(name + "/concat", {a, b, c});
}

ValueId block_c(Layers& net, const std::string& name, ValueId x, std::int64_t inner) {
  const ConvShape row{.channels = inner, .kernel = kRow, .pad = kRowPad};
  const ConvShape column{.channels = inner, .kernel = kColumn, .pad = kColumnPad};
  const ConvShape last_row{.channels = 192, .kernel = kRow, .pad = kRowPad};
  const ConvShape last_column{.channels = 192, .kernel = kColumn, .pad = kColumnPad};
  const ValueId a = inception_unit(net, name + "/1x1", x, {.channels = 192});
  ValueId b = inception_unit(net, name + "/7x7/reduce", x, {.channels = inner});
  b = inception_unit(net, name + "/7x7/1x7", b, row);
  b = inception_unit(net, name + "/7x7/7x1", b, last_column);
  ValueId c = inception_unit(net, name + "/double7x7/reduce", x, {.channels = inner});
  c = inception_unit(net, name + "/double7x7/7x1_1", c, column);
  c = inception_unit(net, name + "/double7x7/1x7_1", c, row);
  c = inception_unit(net, name + "/double7x7/7x1_2", c, column);
  c = inception_unit(net, name + "/double7x7/1x7_2", c, last_row);
  const ValueId d = pool_branch(net, name, x, 192);
  return net.concat(name + "/concat", {a, b, c, d});
}

ValueId block_d(Layers& net, const std::string& name, ValueId x) {
  ValueId a = inception_unit(net, name + "/3x3/reduce", x, {.channels = 192});
  a = inception_unit(net, name + "/3x3/conv", a, {.channels = 320, .kernel = 3, .stride = 2});
  ValueId b = inception_unit(net, name + "/7x7/reduce", x, {.channels = 192});
  b = inception_unit(net, name + "/7x7/1x7", b, {.channels = 192, .kernel = kRow, .pad = kRowPad});
  b = inception_unit(net, name + "/7x7/7x1", b,
                     {.channels = 192, .kernel = kColumn, .pad = kColumnPad});
  b = inception_unit(net, name + "/7x7/conv", b, {.channels = 192, .kernel = 3, .stride = 2});
  const ValueId c = net.max_pool(name + "/pool", x, {.stride = 2});
  return net.concat(name + "/concat", {a, b, c});
}

/// A 1x3 and a 3x1 convolution side by side.
ValueId fork(Layers& net, const std::string& name, ValueId x) {
  const ValueId row =
      inception_unit(net, name + "/1x3", x, {.channels = 384, .kernel = {1, 3}, .pad = {0, 1}});
  const ValueId column =
      inception_unit(net, name + "/3x1", x, {.channels = 384, .kernel = {3, 1}, .pad = {1, 0}});
  return net.concat(name + "/concat", {row, column});
}

ValueId block_e(Layers& net, const std::string& name, ValueId x) {
  const ValueId a = inception_unit(net, name + "/1x1", x, {.channels = 320});
  ValueId b = inception_unit(net, name + "/3x3/reduce", x, {.channels = 384});
  b = fork(net, name + "/3x3", b);
  ValueId c = inception_unit(net, name + "/double3x3/reduce", x, {.channels = 448});
  c = inception_unit(net, name + "/double3x3/conv", c, {.channels = 384, .kernel = 3, .pad = 1});
  c = fork(net, name + "/double3x3", c);
  const ValueId d = pool_branch(net, name, x, 192);
  return net.concat(name + "/concat", {a, b, c, d});
}

}  // namespace

void inception_v3(Layers& net) {
  ValueId x = stem(net, net.input(0));
  x = block_a(net, "mixed_5b", x, 32);
  x = block_a(net, "mixed_5c", x, 64);
  x = block_a(net, "mixed_5d", x, 64);
  x = block_b(net, "mixed_6a", x);
  x = block_c(net, "mixed_6b", x, 128);
  x = block_c(net, "mixed_6c", x, 160);
  x = block_c(net, "mixed_6d", x, 160);
  x = block_c(net, "mixed_6e", x, 192);
  x = block_d(net, "mixed_7a", x);
  x = block_e(net, "mixed_7b", x);
  x = block_e(net, "mixed_7c", x);
  net.classify(x);
}

}  // namespace braid::zoo
