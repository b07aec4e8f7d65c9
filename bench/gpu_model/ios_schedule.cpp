#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/mapped_file.h"
#include "graph/text.h"
#include "stages.h"

namespace braid::gpu_model {
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

std::vector<sim::Kernel> kernels_of_text(const sim::GpuSpec& gpu, const std::string& text) {
  const Graph graph = parse_graph(text, {});
  return sim::kernels_of(gpu, graph, graph.node_ids().front(), ios_library());
}

class Reader {
 public:
  Reader(const sim::GpuSpec& gpu, const JsonPlace& root) : gpu_(gpu) {
    images_.emplace(root["input"]["name"].text(), read_image(root["input"]["output_shape"]));
    const JsonPlace blocks = root["blocks"];
    for (std::size_t i = 0; i < blocks.size(); ++i) read_block(blocks.at(i));
  }

  std::vector<Stage> stages;

 private:
  void read_block(const JsonPlace& block) {
    const JsonPlace nodes = block["inner_nodes"];
    for (std::size_t i = 0; i < nodes.size(); ++i) read_node(nodes.at(i));
    read_node(block["exit_node"]);
    const JsonPlace rows = block["stages"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Stage& stage = stages.emplace_back();
      for (std::size_t j = 0; j < rows.at(i).size(); ++j) {
        Group& group = stage.emplace_back();
        for (std::size_t k = 0; k < rows.at(i).at(j).size(); ++k)
          group.push_back(units_.at(rows.at(i).at(j).at(k).text()));
      }
    }
  }

  void read_node(const JsonPlace& node) {
    const std::vector<Slice> inputs = read_inputs(node);
    const Image out = read_image(node["output_shape"]);
    Image in = images_.at(inputs.at(0).from);
    in.channels = 0;
    for (const Slice& slice : inputs) in.channels += slice.channels;
    const std::string name = node["name"].text();
    images_.emplace(name, out);
    const std::string type = node["type"].text();
    if (type == "conv" || type == "pool") {
      units_[name].kernels = kernels_of_text(gpu_, window_text(node, type, in, out));
    } else if (type == "identity") {
      for (const Slice& slice : inputs)  // each is copied into its place by a kernel of its own
        for (sim::Kernel& kernel : kernels_of_text(gpu_, copy_text(slice.channels, out)))
          units_[name].kernels.push_back(std::move(kernel));
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
    return head + fmt::format("Conv(x, w: f32[{},{},{},{}], b: f32[{}]) {} activation=\"relu\"",
                              out.channels, in.channels, kernel.rows, kernel.columns, out.channels,
                              window);
  }

  static std::string copy_text(std::int64_t channels, const Image& out) {
    return fmt::format("x: f32[1,{0},{1},{2}]\ny: f32[1,{0},{1},{2}] = Concat(x) axis=1", channels,
                       out.height, out.width);
  }

  const sim::GpuSpec& gpu_;
  std::map<std::string, Image> images_;
  std::map<std::string, Unit> units_;
};

}  // namespace

std::vector<Stage> read_ios_schedule(const sim::GpuSpec& gpu, const std::string& path) {
  const auto file = MappedFile::open(path);
  const nlohmann::json json =
      parse_json({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  return Reader(gpu, JsonPlace(json)).stages;
}

}  // namespace braid::gpu_model
