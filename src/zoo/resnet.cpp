#include <array>
#include <string>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"

// He et al., "Deep Residual Learning for Image Recognition", with the stride in the 3x3
// convolution (v1.5), and Xie et al., "Aggregated Residual Transformations for Deep Neural
// Networks".

namespace braid::zoo {
namespace {

constexpr float kResNetEpsilon = 1e-5F;

struct Stage {
  std::int64_t planes;
  int blocks;
  std::int64_t stride;
};
constexpr std::array kStages = {Stage{64, 3, 1}, Stage{128, 4, 2}, Stage{256, 6, 2},
                                Stage{512, 3, 2}};

struct Block {
  std::int64_t width;  ///< of the 3x3 convolution
  std::int64_t groups;
  std::int64_t channels;
  std::int64_t stride;
};

ValueId projected(Layers& net, const std::string& name, ValueId x, const ConvShape& shape) {
  return net.batch_norm(name + "/bn", net.conv(name + "/conv", x, shape), kResNetEpsilon);
}

ValueId bottleneck(Layers& net, const std::string& name, ValueId x, const Block& block) {
  ValueId y = net.conv_bn_relu(name + "/reduce", x, {.channels = block.width}, kResNetEpsilon);
  y = net.conv_bn_relu(name + "/3x3", y,
                       {.channels = block.width,
                        .kernel = 3,
                        .stride = block.stride,
                        .pad = 1,
                        .groups = block.groups},
                       kResNetEpsilon);
  y = projected(net, name + "/expand", y, {.channels = block.channels});
  const bool reshapes = block.stride != 1 || net.dims(x)[1] != block.channels;
  const ValueId shortcut = reshapes
                               ? projected(net, name + "/shortcut", x,
                                           {.channels = block.channels, .stride = block.stride})
                               : x;
  return net.relu(name + "/relu", net.add(name + "/add", y, shortcut));
}

/// A whole network. `width` is that of the 3x3 convolutions, in units of a stage's planes.
void residual_network(Layers& net, std::int64_t width, std::int64_t groups) {
  ValueId x = net.conv_bn_relu(
      "stem", net.input(0), {.channels = 64, .kernel = 7, .stride = 2, .pad = 3}, kResNetEpsilon);
  x = net.max_pool("stem/pool", x, {.stride = 2, .pad = 1});
  int number = 0;
  for (const Stage& stage : kStages) {
    ++number;
    for (int i = 0; i < stage.blocks; ++i)
      x = bottleneck(net, fmt::format("stage_{}/block_{}", number, i), x,
                     {.width = width * stage.planes,
                      .groups = groups,
                      .channels = 4 * stage.planes,
                      .stride = i == 0 ? stage.stride : 1});
  }
  net.classify(x);
}

}  // namespace

void resnet_50(Layers& net) { residual_network(net, 1, 1); }

void resnext_50(Layers& net) { residual_network(net, 2, 32); }

}  // namespace braid::zoo
