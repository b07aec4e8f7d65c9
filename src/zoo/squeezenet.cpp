#include <string>

#include "zoo/layers.h"
#include "zoo/networks.h"

// Iandola et al., "SqueezeNet", version 1.1, as torchvision has it.

namespace braid::zoo {
namespace {

ValueId unit(Layers& net, const std::string& name, ValueId x, const ConvShape& shape) {
  return net.relu(name + "/relu", net.conv_with_bias(name + "/conv", x, shape));
}

struct Fire {
  const char* name;
  std::int64_t squeeze;
  std::int64_t expand;  ///< channels of each of the two branches
};

ValueId fire(Layers& net, ValueId x, const Fire& block) {
  const std::string name = block.name;
  const ValueId squeezed = unit(net, name + "/squeeze", x, {.channels = block.squeeze});
  const ValueId one = unit(net, name + "/expand1x1", squeezed, {.channels = block.expand});
  const ValueId three =
      unit(net, name + "/expand3x3", squeezed, {.channels = block.expand, .kernel = 3, .pad = 1});
  return net.concat(name + "/concat", {one, three});
}

}  // namespace

void squeezenet(Layers& net) {
  const PoolShape halving{.stride = 2, .ceil_mode = true};
  ValueId x = unit(net, "stem", net.input(0), {.channels = 64, .kernel = 3, .stride = 2});
  x = net.max_pool("pool_1", x, halving);
  x = fire(net, x, {"fire_2", 16, 64});
  x = fire(net, x, {"fire_3", 16, 64});
  x = net.max_pool("pool_3", x, halving);
  x = fire(net, x, {"fire_4", 32, 128});
  x = fire(net, x, {"fire_5", 32, 128});
  x = net.max_pool("pool_5", x, halving);
  x = fire(net, x, {"fire_6", 48, 192});
  x = fire(net, x, {"fire_7", 48, 192});
  x = fire(net, x, {"fire_8", 64, 256});
  x = fire(net, x, {"fire_9", 64, 256});
  x = unit(net, "classifier", x, {.channels = 1000});
  net.graph().add_output(net.flatten("logits", net.global_average_pool("head/pool", x)));
}

}  // namespace braid::zoo
