#include "onnx/tensor_writer.h"

#include <fmt/format.h>

#include "onnx/proto.h"
#include "onnx/wire.h"
#include "ops/shared/onnx_type.h"

namespace braid::onnx {
namespace {

proto::TensorProto describe_tensor(const std::string& name, const TensorType& type) {
  proto::TensorProto tensor;
  if (!name.empty()) tensor.set_name(name);
  tensor.set_data_type(static_cast<std::int32_t>(onnx_type(type.element)));
  for (std::int64_t d : type.dims) tensor.add_dims(d);
  return tensor;
}

void add_entry(proto::TensorProto& tensor, const char* key, const std::string& value) {
  auto* entry = tensor.add_external_data();
  entry->set_key(key);
  entry->set_value(value);
}

}  // namespace

std::string bytes_header(std::uint32_t field, std::int64_t length) {
  std::string out;
  const auto put = [&](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
  };
  put(std::uint64_t{field} << 3 | 2);
  put(static_cast<std::uint64_t>(length));
  return out;
}

TensorMessage::TensorMessage(const std::string& name, Tensor tensor)
    : head_(describe_tensor(name, tensor.type()).SerializeAsString()),
      elements_(std::move(tensor)) {
  head_ += bytes_header(kRawData, static_cast<std::int64_t>(elements_.bytes().size()));
}

TensorMessage::TensorMessage(const std::string& name, const Tensor& tensor,
                             const ExternalPlace& place) {
  proto::TensorProto message = describe_tensor(name, tensor.type());
  message.set_data_location(proto::TensorProto::EXTERNAL);
  add_entry(message, "location", place.location);
  add_entry(message, "offset", fmt::format("{}", place.offset));
  add_entry(message, "length", fmt::format("{}", tensor.bytes().size()));
  head_ = message.SerializeAsString();
}

std::int64_t TensorMessage::bytes() const {
  return static_cast<std::int64_t>(head_.size() + elements_.bytes().size());
}

void TensorMessage::write(std::ostream& out) const {
  const auto elements = elements_.bytes();
  out.write(head_.data(), static_cast<std::streamsize>(head_.size()));
  out.write(reinterpret_cast<const char*>(elements.data()),
            static_cast<std::streamsize>(elements.size()));
}

}  // namespace braid::onnx
