#include "shared/networks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "zoo/layers.h"
#include "zoo/zoo.h"

namespace braid::bench {
namespace {

struct Name {
  std::string_view model;
  std::int64_t size = 0;  ///< of an image; 0: the model's own
};

Name parse(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return {name, 0};
  return {name.substr(0, at), std::stoll(std::string(name.substr(at + 1)))};
}

}  // namespace

std::optional<std::string> missing_network(std::string_view name) {
  const std::string_view model = parse(name).model;
  for (const zoo::ZooModel& known : zoo::models())
    if (known.name == model || (model == "bert" && known.name == "bert-base")) return std::nullopt;
  return fmt::format("the zoo has no network {}", quote(model));
}

Graph build_network(std::string_view name, std::int64_t batch) {
  const auto [wanted, size] = parse(name);
  for (const zoo::ZooModel& model : zoo::models()) {
    if (model.name != wanted) continue;
    Graph graph;
    graph.name = model.name;
    graph.opset = 17;
    for (zoo::ZooInput input : zoo::inputs_of(model, batch)) {
      if (size > 0) input.type.dims[2] = input.type.dims[3] = size;
      graph.add_input(input.name, input.type);
    }
    zoo::Layers net(graph, 0);
    model.network(net);
    return graph;
  }
  raise(ErrorKind::Usage, *missing_network(name));
}

}  // namespace braid::bench
