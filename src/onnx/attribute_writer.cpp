#include "onnx/attribute_writer.h"

#include <type_traits>

#include "ops/shared/onnx_type.h"

namespace braid::onnx {
namespace {

using Kind = proto::AttributeProto;

struct Writer {
  proto::AttributeProto& to;

  void operator()(std::int64_t i) const {
    to.set_type(Kind::INT);
    to.set_i(i);
  }
  void operator()(float f) const {
    to.set_type(Kind::FLOAT);
    to.set_f(f);
  }
  void operator()(const std::string& s) const {
    to.set_type(Kind::STRING);
    to.set_s(s);
  }
  void operator()(const std::vector<std::int64_t>& list) const {
    to.set_type(Kind::INTS);
    for (std::int64_t i : list) to.add_ints(i);
  }
  void operator()(const std::vector<float>& list) const {
    to.set_type(Kind::FLOATS);
    for (float f : list) to.add_floats(f);
  }
  void operator()(const std::vector<std::string>& list) const {
    to.set_type(Kind::STRINGS);
    for (const auto& s : list) to.add_strings(s);
  }
  void operator()(const Tensor& tensor) const {
    to.set_type(Kind::TENSOR);
    *to.mutable_t() = to_proto(tensor);
  }
};

}  // namespace

proto::TensorProto to_proto(const Tensor& tensor) {
  proto::TensorProto made;
  made.set_data_type(static_cast<std::int32_t>(onnx_type(tensor.element())));
  for (std::int64_t d : tensor.dims()) made.add_dims(d);
  made.set_raw_data(tensor.bytes().data(), tensor.bytes().size());
  return made;
}

void write_attribute(const std::string& name, const Attribute& value, proto::AttributeProto& to) {
  to.set_name(name);
  std::visit(Writer{to}, value);
}

void write_value_info(const std::string& name, const TensorType& type, proto::ValueInfoProto& to) {
  to.set_name(name);
  auto* tensor = to.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(static_cast<std::int32_t>(onnx_type(type.element)));
  auto* shape = tensor->mutable_shape();
  for (std::int64_t d : type.dims) shape->add_dim()->set_dim_value(d);
}

}  // namespace braid::onnx
