#include "ios_networks.h"

#include <array>

#include <fmt/format.h>

#include "rewrite/canonicalise.h"
#include "zoo/layers.h"
#include "zoo/zoo.h"

namespace braid::gpu_model {
namespace {

using zoo::ConvShape;
using zoo::Layers;

ValueId unit(Layers& net, const std::string& name, ValueId x, const ConvShape& shape) {
  return net.relu(name + "/relu", net.conv_with_bias(name, x, shape));
}

/// A fire module and what leads around it: its input, or a convolution of it where it has another
/// number of channels.
ValueId fire(Layers& net, const std::string& name, ValueId x, std::int64_t squeeze,
             std::int64_t expand) {
  const ValueId squeezed = unit(net, name + "/squeeze", x, {.channels = squeeze});
  const ValueId three =
      unit(net, name + "/three", squeezed, {.channels = expand, .kernel = 3, .pad = 1});
  const ValueId one = unit(net, name + "/one", squeezed, {.channels = expand});
  const ValueId joined = net.concat(name + "/join", {three, one});
  const bool same = net.dims(x)[1] == 2 * expand;
  const ValueId around = same ? x : unit(net, name + "/around", x, {.channels = 2 * expand});
  return net.add(name + "/sum", joined, around);
}

void squeezenet(Layers& net) {
  struct Fire {
    std::int64_t squeeze;
    std::int64_t expand;
    bool pool_after;
  };
  constexpr std::array fires = {Fire{16, 64, false},  Fire{16, 64, false},  Fire{32, 128, true},
                                Fire{32, 128, false}, Fire{48, 192, false}, Fire{48, 192, false},
                                Fire{64, 256, true},  Fire{64, 256, false}};
  ValueId x = unit(net, "stem", net.input(0), {.channels = 96, .kernel = 7, .stride = 2, .pad = 3});
  x = net.max_pool("pool_1", x, {.stride = 2});
  int number = 2;
  for (const Fire& shape : fires) {
    const std::string name = fmt::format("fire_{}", number);
    x = fire(net, name, x, shape.squeeze, shape.expand);
    if (shape.pool_after) x = net.max_pool(fmt::format("pool_{}", number), x, {.stride = 2});
    ++number;
  }
  x = unit(net, "classifier", x, {.channels = 1000});
  net.graph().add_output(net.global_average_pool("head", x));
}

void sample(Layers& net) {
  const auto conv = [&](const std::string& name, ValueId x, std::int64_t channels) {
    return unit(net, name, x, {.channels = channels, .kernel = 3, .pad = 1});
  };
  const ValueId x = net.input(0);
  const ValueId one = conv("one", x, 375);
  const ValueId two = conv("two", x, 750);
  const ValueId three = conv("three", x, 375);
  net.graph().add_output(net.concat("join", {conv("four", one, 750), two, three}));
}

struct Own {
  std::string_view name;
  Dims input;  ///< of batch 1
  void (*network)(Layers&);
};

const Own* own_network(std::string_view name) {
  static const std::array own = {Own{"ios:squeezenet", {1, 3, 224, 224}, squeezenet},
                                 Own{"ios:sample", {1, 375, 15, 15}, sample}};
  for (const Own& row : own)
    if (row.name == name) return &row;
  return nullptr;
}

Graph build(std::string_view name, std::int64_t batch) {
  const Own* own = own_network(name);
  if (own == nullptr) return zoo::build(name, {.batch = batch});
  Graph graph;
  graph.name = own->name;
  graph.opset = 17;
  TensorType type{ElementType::F32, own->input};
  type.dims[0] = batch;
  graph.add_input("image", type);
  Layers net(graph, 0);
  own->network(net);
  return graph;
}

}  // namespace

Graph ios_network(std::string_view name, std::int64_t batch) {
  CanonicaliseOptions options;
  options.disabled = {"merge-common-subexpressions", "fuse-residual"};
  return canonicalise(build(name, batch), options).graph;
}

}  // namespace braid::gpu_model
