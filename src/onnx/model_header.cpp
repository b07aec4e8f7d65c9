#include "onnx/model_header.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/element_types.h"
#include "onnx/inputs.h"
#include "onnx/metadata.h"
#include "onnx/wire.h"

namespace braid::onnx {
namespace {

/// producer_name, producer_version, domain, model_version, doc_string, metadata_props
constexpr std::uint32_t kHeaderFields[] = {2, 3, 4, 5, 6, 14};
constexpr std::uint32_t kGraphOfModel = 7;
constexpr std::uint32_t kDocumentationOfGraph = 10;
constexpr std::uint32_t kExternalDataOfTensor = 13;
/// What a byte of text costs while it is parsed and kept, and what a field costs beside it.
constexpr std::int64_t kCostOfByte = 2;
constexpr std::int64_t kCostOfField = 200;

bool is_header_field(std::uint32_t number) {
  return std::ranges::find(kHeaderFields, number) != std::end(kHeaderFields);
}

/// The fields of a message that are wanted, one behind the other, as far as the quota allows.
class KeptFields {
 public:
  explicit KeptFields(const Quotas& quotas) : left_(quotas.metadata_bytes) {}

  void add(const WireField& field, std::string& to) {
    const auto size = static_cast<std::int64_t>(field.whole.size());
    if (left_ < kCostOfField || size > (left_ - kCostOfField) / kCostOfByte)
      raise(ErrorKind::Quota,
            "the model's documentation and metadata need more bytes than the "
            "quota 'metadata_bytes' allows");
    left_ -= kCostOfField + size * kCostOfByte;
    to.append(reinterpret_cast<const char*>(field.whole.data()), field.whole.size());
  }

 private:
  std::int64_t left_;
};

template <class Message>
Message parsed_message(const std::string& bytes) {
  Message message;
  if (bytes.size() > std::numeric_limits<int>::max() || !message.ParsePartialFromString(bytes))
    raise(ErrorKind::Model, "not a valid ONNX file: protobuf cannot parse its metadata");
  return message;
}

void read_texts(std::span<const std::byte> file, const Quotas& quotas, ModelHeader& header) {
  KeptFields kept(quotas);
  std::string of_model;
  std::string of_graph;
  WireReader fields(file, file);
  while (const auto field = fields.next()) {
    if (is_header_field(field->number)) kept.add(*field, of_model);
    if (field->number != kGraphOfModel || field->type != WireType::Bytes) continue;
    WireReader inner(field->bytes, file);
    while (const auto deeper = inner.next())
      if (deeper->number == kDocumentationOfGraph) kept.add(*deeper, of_graph);
  }
  const auto model = parsed_message<proto::ModelProto>(of_model);
  header.producer_name = model.producer_name();
  header.producer_version = model.producer_version();
  header.domain = model.domain();
  header.model_version = model.model_version();
  header.documentation = model.doc_string();
  header.graph_documentation = parsed_message<proto::GraphProto>(of_graph).doc_string();
  for (const auto& pair : model.metadata_props())
    header.metadata.emplace_back(pair.key(), pair.value());
}

ValueInfo declared_value(const proto::ValueInfoProto& value) {
  ValueInfo info;
  info.name = value.name();
  const auto& tensor = value.type().tensor_type();
  info.shaped = value.type().has_tensor_type() && tensor.has_shape();
  if (value.type().has_tensor_type() && tensor.elem_type() != 0)
    info.element = require_element(tensor.elem_type(), quote(info.name));
  for (const auto& dimension : tensor.shape().dim()) {
    const bool sized = dimension.has_dim_value() && dimension.dim_value() >= 0;
    info.dims.push_back(sized ? dimension.dim_value() : -1);
    info.symbols.emplace_back(sized ? std::string_view() : symbol_in(dimension));
  }
  return info;
}

void read_data_files(const Metadata& metadata, ModelHeader& header) {
  for (const auto tensor : metadata.tensors) {
    WireReader fields(tensor, tensor);
    while (const auto field = fields.next()) {
      if (field->number != kExternalDataOfTensor || field->type != WireType::Bytes) continue;
      const auto entry = parsed_message<proto::StringStringEntryProto>(
          {reinterpret_cast<const char*>(field->bytes.data()), field->bytes.size()});
      if (entry.key() == "location") header.data_files.insert(entry.value());
    }
  }
}

}  // namespace

ModelHeader read_header(const std::filesystem::path& path, const Quotas& quotas) {
  const auto where = [&] { return fmt::format("while loading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    ModelHeader header;
    read_texts(file->bytes(), quotas, header);
    proto::ModelProto model;
    const Metadata metadata = split(file->bytes(), MessageKind::Model, quotas);
    parse(metadata, quotas, model);
    read_data_files(metadata, header);
    std::unordered_set<std::string_view> initialisers;
    for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
    for (const auto& input : model.graph().input())
      if (!initialisers.contains(input.name())) header.inputs.push_back(declared_value(input));
    for (const auto& output : model.graph().output())
      header.outputs.push_back(declared_value(output));
    return header;
  });
}

}  // namespace braid::onnx
