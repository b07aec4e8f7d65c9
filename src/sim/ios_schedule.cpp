#include "sim/ios_schedule.h"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/text.h"
#include "sim/ensemble.h"

namespace braid::sim {
namespace {

constexpr std::int64_t kMost = 1 << 20;

/// Channels, height and width.
struct Image {
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;
};

Image read_image(const JsonPlace& shape) {
  return {shape.at(0).integer(1, kMost), shape.at(1).integer(1, kMost),
          shape.at(2).integer(1, kMost)};
}

struct Pair {
  std::int64_t rows;
  std::int64_t columns;
};

Pair read_pair(const JsonPlace& place) {
  return {place.at(0).integer(0, kMost), place.at(1).integer(0, kMost)};
}

/// A piece of another operator's channels.
struct Slice {
  std::string from;
  std::int64_t channels;
};
using Term = std::vector<Slice>;  ///< slices that are added

std::vector<Term> read_inputs(const JsonPlace& node) {
  std::vector<Term> result;
  const JsonPlace terms = node["inputs"];
  for (std::size_t i = 0; i < terms.size(); ++i) {
    Term& term = result.emplace_back();
    for (std::size_t j = 0; j < terms.at(i).size(); ++j) {
      const JsonPlace slice = terms.at(i).at(j);
      const std::int64_t begin = slice.at(1).integer(0, kMost);
      term.push_back({slice.at(0).text(), slice.at(2).integer(begin + 1, kMost) - begin});
    }
    if (term.empty()) terms.at(i).fail("a term without values");
  }
  return result;
}

class Reader {
 public:
  Reader(const GpuSpec& gpu, const JsonPlace& root, std::int64_t batch) : gpu_(gpu), batch_(batch) {
    images_.emplace(root["input"]["name"].text(), read_image(root["input"]["output_shape"]));
    const JsonPlace blocks = root["blocks"];
    for (std::size_t i = 0; i < blocks.size(); ++i) read_block(blocks.at(i));
  }

  std::vector<IosStage> stages;

 private:
  void read_block(const JsonPlace& block) {
    const JsonPlace nodes = block["inner_nodes"];
    for (std::size_t i = 0; i < nodes.size(); ++i) read_node(nodes.at(i));
    read_node(block["exit_node"]);
    const JsonPlace rows = block["stages"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      IosStage& stage = stages.emplace_back();
      for (std::size_t j = 0; j < rows.at(i).size(); ++j) {
        IosGroup& group = stage.emplace_back();
        for (std::size_t k = 0; k < rows.at(i).at(j).size(); ++k)
          group.push_back(unit_named(rows.at(i).at(j).at(k)));
      }
    }
  }

  const IosUnit& unit_named(const JsonPlace& place) const {
    const auto found = units_.find(place.text());
    if (found == units_.end()) place.fail("there is no node " + quote(place.text()) + " before it");
    return found->second;
  }

  const Image& image_named(const JsonPlace& node, const std::string& name) const {
    const auto found = images_.find(name);
    if (found == images_.end())
      node.fail("it reads " + quote(name) + ", which nothing before it makes");
    return found->second;
  }

  void read_node(const JsonPlace& node) {
    const std::vector<Term> inputs = read_inputs(node);
    if (inputs.empty()) node.fail("a node without inputs");
    const Image out = read_image(node["output_shape"]);
    IosUnit unit;
    const Image in = gather(node, inputs, unit);
    const std::string name = node["name"].text();
    const std::string type = node["type"].text();
    if (type == "conv" || type == "pool") {
      const Graph graph = parse_graph(window_text(node, type, in, out), {});
      for (IosCall& call : ios_calls(gpu_, graph, graph.node_ids().front()))
        unit.push_back(std::move(call));
    } else if (type != "identity") {
      node["type"].fail("expected conv, pool or identity");
    }
    images_.emplace(name, out);
    units_.emplace(name, std::move(unit));
  }

  /// What the runtime does until a node's input is one value: it copies slices, adds the values of
  /// a term, and copies the terms side by side.
  Image gather(const JsonPlace& node, const std::vector<Term>& terms, IosUnit& unit) const {
    Image all = image_named(node, terms.front().front().from);
    const auto dims = [&](std::int64_t channels) {
      return Dims{batch_, channels, all.height, all.width};
    };
    all.channels = 0;
    for (const Term& term : terms) {
      const std::int64_t channels = term.front().channels;
      for (const Slice& slice : term) {
        const bool whole = slice.channels == image_named(node, slice.from).channels;
        if (!whole && batch_ > 1) unit.push_back(ios_copy(gpu_, dims(slice.channels)));
      }
      if (term.size() > 1) unit.push_back(ios_sum(gpu_, dims(channels), term.size()));
      all.channels += channels;
    }
    if (terms.size() > 1)
      for (const Term& term : terms) unit.push_back(ios_copy(gpu_, dims(term.front().channels)));
    return all;
  }

  std::string window_text(const JsonPlace& node, const std::string& type, const Image& in,
                          const Image& out) const {
    const Pair kernel = read_pair(node["kernel"]);
    const Pair stride = read_pair(node["stride"]);
    const Pair pad = read_pair(node["padding"]);
    const std::string window = fmt::format("pads=[{0},{1},{0},{1}] strides=[{2},{3}]", pad.rows,
                                           pad.columns, stride.rows, stride.columns);
    const std::string head =
        fmt::format("x: f32[{0},{1},{2},{3}]\ny: f32[{0},{4},{5},{6}] = ", batch_, in.channels,
                    in.height, in.width, out.channels, out.height, out.width);
    if (type == "pool")
      return head +
             fmt::format("MaxPool(x) kernel_shape=[{},{}] {}", kernel.rows, kernel.columns, window);
    const std::int64_t groups = node.integer("groups", 1, in.channels, 1);
    const bool activated = !node.has("act") || node["act"].text() != "identity";
    return head + fmt::format("Conv(x, w: f32[{},{},{},{}], b: f32[{}]) {} group={}{}",
                              out.channels, in.channels / groups, kernel.rows, kernel.columns,
                              out.channels, window, groups,
                              activated ? " activation=\"relu\"" : "");
  }

  const GpuSpec& gpu_;
  std::int64_t batch_;
  std::map<std::string, Image> images_;
  std::map<std::string, IosUnit> units_;
};

}  // namespace

IosSchedule parse_ios_schedule(const GpuSpec& gpu, std::string_view text, std::string_view origin,
                               std::int64_t batch) {
  const auto where = [&] { return fmt::format("while reading the schedule {}", quote(origin)); };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    return IosSchedule{root["name"].text(), Reader(gpu, root, batch).stages};
  });
}

std::vector<IosStage> one_by_one(const std::vector<IosStage>& stages) {
  std::vector<IosStage> apart;
  for (const IosStage& stage : stages)
    for (const IosGroup& group : stage)
      for (const IosUnit& unit : group) apart.push_back({{unit}});
  return apart;
}

std::vector<Launch> ios_launches(const std::vector<IosStage>& stages) {
  std::vector<Launch> launches;
  std::size_t groups_before = 1;
  for (const IosStage& stage : stages) {
    bool sync = stage.size() > 1 || groups_before > 1;
    for (std::size_t stream = 0; stream < stage.size(); ++stream)
      for (const IosUnit& unit : stage[stream])
        for (const IosCall& call : unit) {
          int library_calls = call.library ? 1 : 0;
          for (const Kernel& kernel : call.kernels) {
            Launch launch;
            launch.kernel = kernel;
            launch.stream = static_cast<int>(stream);
            launch.library_calls = std::exchange(library_calls, 0);
            launch.device_sync = std::exchange(sync, false) && !launches.empty();
            launches.push_back(std::move(launch));
          }
        }
    groups_before = stage.size();
  }
  return launches;
}

SimulatedTime ios_time(const GpuSpec& gpu, const std::vector<IosStage>& stages) {
  EngineOptions options;
  options.mode = LaunchMode::Streams;
  return simulate_all(gpu, ios_launches(stages), options);
}

double ios_stage_us(const GpuSpec& gpu, const IosStage& stage) {
  constexpr std::size_t runs = 6;
  EngineOptions options;
  options.mode = LaunchMode::Streams;
  options.final_sync = stage.size() > 1;
  if (options.final_sync) return simulate(gpu, ios_launches({stage}), options).time_us;
  return simulate(gpu, ios_launches(std::vector(runs, stage)), options).time_us / runs;
}

}  // namespace braid::sim
