#include "onnx/save.h"

#include <memory>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "onnx/exporter.h"
#include "onnx/header_writer.h"
#include "onnx/tensor_writer.h"

namespace braid::onnx {
namespace {

constexpr std::uint32_t kGraphField = 7;        // of ModelProto
constexpr std::uint32_t kInitialiserField = 5;  // of GraphProto
/// Smaller tensors stay in the model's own file: shapes and axes are needed to understand it.
constexpr std::size_t kSmallestExternal = 1024;
constexpr std::int64_t kAlignment = 64;

void write(std::ostream& out, const std::string& bytes) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The parts of a serialised model: head, then the graph: its own fields, then the initialisers.
struct Layout {
  std::string head;
  std::string graph;
  std::vector<TensorMessage> initialisers;

  std::int64_t graph_bytes() const {
    auto bytes = static_cast<std::int64_t>(graph.size());
    for (const TensorMessage& tensor : initialisers)
      bytes += static_cast<std::int64_t>(bytes_header(kInitialiserField, tensor.bytes()).size()) +
               tensor.bytes();
    return bytes;
  }
};

/// Takes the graph out of the model.
Layout layout_of(ExportedModel& exported) {
  Layout layout;
  const std::unique_ptr<proto::GraphProto> graph(exported.model.release_graph());
  layout.head = exported.model.SerializeAsString();
  layout.graph = graph->SerializeAsString();
  return layout;
}

/// Writes the weights beside the model and says where each is.
void write_external(const ExportedModel& exported, const std::filesystem::path& path,
                    const SaveOptions& options, Layout& layout) {
  const std::filesystem::path data = data_file_of(path);
  OutputFile file(data);
  std::int64_t at = 0;
  const auto total = static_cast<std::int64_t>(exported.initialisers.size());
  for (const auto& [name, tensor] : exported.initialisers) {
    report(options.progress, "writing weights",
           static_cast<std::int64_t>(layout.initialisers.size()), total);
    const auto bytes = tensor.bytes();
    if (bytes.size() < kSmallestExternal) {
      layout.initialisers.emplace_back(name, tensor);
      continue;
    }
    const std::int64_t padding = (kAlignment - at % kAlignment) % kAlignment;
    write(file.stream(), std::string(static_cast<std::size_t>(padding), '\0'));
    at += padding;
    layout.initialisers.emplace_back(name, tensor, ExternalPlace{data.filename().string(), at});
    file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                        static_cast<std::streamsize>(bytes.size()));
    at += static_cast<std::int64_t>(bytes.size());
  }
  file.commit();
}

std::int64_t weight_bytes(const ExportedModel& exported) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : exported.initialisers)
    bytes = checked_add(bytes, byte_size(tensor.type()));
  return bytes;
}

void write_model(const Layout& layout, const std::filesystem::path& path,
                 const SaveOptions& options) {
  OutputFile file(path);
  write(file.stream(), layout.head);
  write(file.stream(), bytes_header(kGraphField, layout.graph_bytes()));
  write(file.stream(), layout.graph);
  std::int64_t done = 0;
  for (const TensorMessage& tensor : layout.initialisers) {
    report(options.progress, "writing the model", done++,
           static_cast<std::int64_t>(layout.initialisers.size()));
    write(file.stream(), bytes_header(kInitialiserField, tensor.bytes()));
    tensor.write(file.stream());
  }
  file.commit();
}

void add_header(const SaveOptions& options, proto::ModelProto& model) {
  if (options.header) write_header(*options.header, model);
  for (const auto& [key, value] : options.metadata) set_metadata(key, value, model);
  leave_open(options.open, *model.mutable_graph());
}

}  // namespace

std::filesystem::path data_file_of(const std::filesystem::path& model) {
  std::filesystem::path data = model;
  data += ".data";
  return data;
}

SavedModel save(const Graph& graph, const std::filesystem::path& path, const SaveOptions& options) {
  const auto where = [&] { return fmt::format("while saving {}", quote(path.string())); };
  return with_note(where, [&] {
    ExportedModel exported = export_model(graph, options.opset);
    add_header(options, exported.model);
    SavedModel saved{.opset = static_cast<int>(exported.model.opset_import(0).version())};
    Layout layout = layout_of(exported);
    const std::int64_t size =
        checked_add(weight_bytes(exported),
                    static_cast<std::int64_t>(layout.head.size() + layout.graph.size()));
    saved.has_data_file = size > options.external_data_threshold;
    if (saved.has_data_file)
      write_external(exported, path, options, layout);
    else
      for (const auto& [name, tensor] : exported.initialisers)
        layout.initialisers.emplace_back(name, tensor);
    write_model(layout, path, options);
    return saved;
  });
}

}  // namespace braid::onnx
