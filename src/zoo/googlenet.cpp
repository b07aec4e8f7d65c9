#include <string>

#include "zoo/layers.h"
#include "zoo/networks.h"

// Szegedy et al., "Going Deeper with Convolutions", as torchvision has it: with batch
// normalisation, and 3x3 where the paper has 5x5.

namespace braid::zoo {
namespace {

ValueId google_unit(Layers& net, const std::string& name, ValueId x, const ConvShape& shape) {
  return net.conv_bn_relu(name, x, shape, 1e-3F);
}

struct Inception {
  const char* name;
  std::int64_t one;
  std::int64_t three_reduce;
  std::int64_t three;
  std::int64_t five_reduce;
  std::int64_t five;
  std::int64_t pool;
};

ValueId inception(Layers& net, ValueId x, const Inception& block) {
  const std::string name = block.name;
  const ValueId a = google_unit(net, name + "/1x1", x, {.channels = block.one});
  ValueId b = google_unit(net, name + "/3x3/reduce", x, {.channels = block.three_reduce});
  b = google_unit(net, name + "/3x3/conv", b, {.channels = block.three, .kernel = 3, .pad = 1});
  ValueId c = google_unit(net, name + "/5x5/reduce", x, {.channels = block.five_reduce});
  c = google_unit(net, name + "/5x5/conv", c, {.channels = block.five, .kernel = 3, .pad = 1});
  ValueId d = net.max_pool(name + "/pool/max3", x, {.pad = 1, .ceil_mode = true});
  d = google_unit(net, name + "/pool/1x1", d, {.channels = block.pool});
  return net.concat(name + "/concat", {a, b, c, d});
}

}  // namespace

void googlenet(Layers& net) {
  const PoolShape halving{.stride = 2, .ceil_mode = true};
  ValueId x = google_unit(net, "stem/conv1", net.input(0),
                          {.channels = 64, .kernel = 7, .stride = 2, .pad = 3});
  x = net.max_pool("stem/pool1", x, halving);
  x = google_unit(net, "stem/conv2", x, {.channels = 64});
  x = google_unit(net, "stem/conv3", x, {.channels = 192, .kernel = 3, .pad = 1});
  x = net.max_pool("stem/pool2", x, halving);
  x = inception(net, x, {"inception_3a", 64, 96, 128, 16, 32, 32});
  x = inception(net, x, {"inception_3b", 128, 128, 192, 32, 96, 64});
  x = net.max_pool("pool_3", x, halving);
  x = inception(net, x, {"inception_4a", 192, 96, 208, 16, 48, 64});
  x = inception(net, x, {"inception_4b", 160, 112, 224, 24, 64, 64});
  x = inception(net, x, {"inception_4c", 128, 128, 256, 24, 64, 64});
  x = inception(net, x, {"inception_4d", 112, 144, 288, 32, 64, 64});
  x = inception(net, x, {"inception_4e", 256, 160, 320, 32, 128, 128});
  x = net.max_pool("pool_4", x, {.kernel = 2, .stride = 2, .ceil_mode = true});
  x = inception(net, x, {"inception_5a", 256, 160, 320, 32, 128, 128});
  x = inception(net, x, {"inception_5b", 384, 192, 384, 48, 128, 128});
  net.classify(x);
}

}  // namespace braid::zoo
