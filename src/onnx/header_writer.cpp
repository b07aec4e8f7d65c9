#include "onnx/header_writer.h"

#include <algorithm>

namespace braid::onnx {
namespace {

void open_in(const OpenDimensions& open, proto::ValueInfoProto& value) {
  const auto found = open.find(value.name());
  if (found == open.end()) return;
  auto* shape = value.mutable_type()->mutable_tensor_type()->mutable_shape();
  const auto count = std::min(static_cast<std::size_t>(shape->dim_size()), found->second.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::string>& symbol = found->second[i];
    if (!symbol) continue;
    auto* dimension = shape->mutable_dim(static_cast<int>(i));
    dimension->Clear();
    if (!symbol->empty()) dimension->set_dim_param(*symbol);
  }
}

}  // namespace

void write_header(const ModelHeader& header, proto::ModelProto& to) {
  if (!header.producer_name.empty()) to.set_producer_name(header.producer_name);
  if (!header.producer_version.empty()) to.set_producer_version(header.producer_version);
  if (!header.domain.empty()) to.set_domain(header.domain);
  if (header.model_version != 0) to.set_model_version(header.model_version);
  if (!header.documentation.empty()) to.set_doc_string(header.documentation);
  if (!header.graph_documentation.empty())
    to.mutable_graph()->set_doc_string(header.graph_documentation);
  for (const auto& [key, value] : header.metadata) {
    auto* pair = to.add_metadata_props();
    pair->set_key(key);
    pair->set_value(value);
  }
}

void set_metadata(const std::string& key, const std::string& value, proto::ModelProto& to) {
  for (auto& pair : *to.mutable_metadata_props())
    if (pair.key() == key) return pair.set_value(value);
  auto* pair = to.add_metadata_props();
  pair->set_key(key);
  pair->set_value(value);
}

void leave_open(const OpenDimensions& open, proto::GraphProto& to) {
  if (open.empty()) return;
  to.clear_value_info();
  for (auto& input : *to.mutable_input()) open_in(open, input);
  for (auto& output : *to.mutable_output()) open_in(open, output);
}

}  // namespace braid::onnx
