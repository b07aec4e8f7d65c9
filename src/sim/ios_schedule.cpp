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

std::vector<Slice> read_inputs(const JsonPlace& node) {
  std::vector<Slice> slices;
  const JsonPlace terms = node["inputs"];
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = 0; j < terms.at(i).size(); ++j) {
      const JsonPlace slice = terms.at(i).at(j);
      const std::int64_t begin = slice.at(1).integer(0, kMost);
      slices.push_back({slice.at(0).text(), slice.at(2).integer(begin, kMost) - begin});
    }
  return slices;
}

IosUnit kernels_of_text(const GpuSpec& gpu, const std::string& text) {
  const Graph graph = parse_graph(text, {});
  return kernels_of(gpu, graph, graph.node_ids().front(), ios_library());
}

class Reader {
 public:
  Reader(const GpuSpec& gpu, const JsonPlace& root) : gpu_(gpu) {
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

  Image image_of(const JsonPlace& node, const std::vector<Slice>& inputs) const {
    if (inputs.empty()) node.fail("a node without inputs");
    const auto found = images_.find(inputs.front().from);
    if (found == images_.end())
      node.fail("it reads " + quote(inputs.front().from) + ", which nothing before it makes");
    Image image = found->second;
    image.channels = 0;
    for (const Slice& slice : inputs) image.channels += slice.channels;
    return image;
  }

  void read_node(const JsonPlace& node) {
    const std::vector<Slice> inputs = read_inputs(node);
    const Image out = read_image(node["output_shape"]);
    const Image in = image_of(node, inputs);
    const std::string name = node["name"].text();
    images_.emplace(name, out);
    const std::string type = node["type"].text();
    if (type == "conv" || type == "pool") {
      units_[name] = kernels_of_text(gpu_, window_text(node, type, in, out));
    } else if (type == "identity") {
      for (const Slice& slice : inputs)  // each is copied into its place by a kernel of its own
        for (Kernel& kernel : kernels_of_text(gpu_, copy_text(slice.channels, out)))
          units_[name].push_back(std::move(kernel));
    } else {
      node["type"].fail("expected conv, pool or identity");
    }
  }

  static std::string window_text(const JsonPlace& node, const std::string& type, const Image& in,
                                 const Image& out) {
    const Pair kernel = read_pair(node["kernel"]);
    const Pair stride = read_pair(node["stride"]);
    const Pair pad = read_pair(node["padding"]);
    const std::string window = fmt::format("pads=[{0},{1},{0},{1}] strides=[{2},{3}]", pad.rows,
                                           pad.columns, stride.rows, stride.columns);
    const std::string head = fmt::format("x: f32[1,{},{},{}]\ny: f32[1,{},{},{}] = ", in.channels,
                                         in.height, in.width, out.channels, out.height, out.width);
    if (type == "pool")
      return head +
             fmt::format("MaxPool(x) kernel_shape=[{},{}] {}", kernel.rows, kernel.columns, window);
    const std::int64_t groups = node.integer("groups", 1, in.channels, 1);
    return head +
           fmt::format("Conv(x, w: f32[{},{},{},{}], b: f32[{}]) {} group={} activation=\"relu\"",
                       out.channels, in.channels / groups, kernel.rows, kernel.columns,
                       out.channels, window, groups);
  }

  static std::string copy_text(std::int64_t channels, const Image& out) {
    return fmt::format("x: f32[1,{0},{1},{2}]\ny: f32[1,{0},{1},{2}] = Concat(x) axis=1", channels,
                       out.height, out.width);
  }

  const GpuSpec& gpu_;
  std::map<std::string, Image> images_;
  std::map<std::string, IosUnit> units_;
};

}  // namespace

KernelOptions ios_library() {
  KernelOptions options;
  options.library = ConvLibrary::CuDnn7;
  return options;
}

IosSchedule parse_ios_schedule(const GpuSpec& gpu, std::string_view text, std::string_view origin) {
  const auto where = [&] { return fmt::format("while reading the schedule {}", quote(origin)); };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    return IosSchedule{root["name"].text(), Reader(gpu, root).stages};
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
        for (const Kernel& kernel : unit) {
          Launch launch;
          launch.kernel = kernel;
          launch.stream = static_cast<int>(stream);
          launch.device_sync = std::exchange(sync, false) && !launches.empty();
          launches.push_back(std::move(launch));
        }
    groups_before = stage.size();
  }
  return launches;
}

SimulatedTime ios_time(const GpuSpec& gpu, const std::vector<IosStage>& stages) {
  EngineOptions options;
  options.mode = LaunchMode::Streams;
  options.final_sync = true;
  return simulate_all(gpu, ios_launches(stages), options);
}

}  // namespace braid::sim
