#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <braid/error.h>

#include "base/error.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/load.h"
#include "onnx/proto.h"
#include "ops/shared/onnx_type.h"

namespace braid::onnx::testing {

using Strings = std::vector<std::string>;

inline proto::NodeProto node(const std::string& op, const Strings& inputs, const Strings& outputs,
                             const std::string& name = {}) {
  proto::NodeProto made;
  made.set_op_type(op);
  if (!name.empty()) made.set_name(name);
  for (const auto& input : inputs) made.add_input(input);
  for (const auto& output : outputs) made.add_output(output);
  return made;
}

inline proto::AttributeProto& add_attribute(proto::NodeProto& to, const std::string& name,
                                            proto::AttributeProto::AttributeType type) {
  auto* attribute = to.add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return *attribute;
}

inline proto::NodeProto with_ints(proto::NodeProto to, const std::string& name,
                                  const std::vector<std::int64_t>& list) {
  auto& attribute = add_attribute(to, name, proto::AttributeProto::INTS);
  for (std::int64_t i : list) attribute.add_ints(i);
  return to;
}

inline proto::NodeProto with_int(proto::NodeProto to, const std::string& name, std::int64_t i) {
  add_attribute(to, name, proto::AttributeProto::INT).set_i(i);
  return to;
}

inline proto::NodeProto with_float(proto::NodeProto to, const std::string& name, float f) {
  add_attribute(to, name, proto::AttributeProto::FLOAT).set_f(f);
  return to;
}

inline proto::NodeProto with_text(proto::NodeProto to, const std::string& name,
                                  const std::string& text) {
  add_attribute(to, name, proto::AttributeProto::STRING).set_s(text);
  return to;
}

template <class T>
proto::TensorProto raw_tensor(const std::string& name, const Dims& dims,
                              const std::vector<T>& elements) {
  proto::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(static_cast<std::int32_t>(onnx_type(ElementOf<T>::value)));
  for (std::int64_t d : dims) tensor.add_dims(d);
  tensor.set_raw_data(elements.data(), elements.size() * sizeof(T));
  return tensor;
}

/// A dimension is a number, or a name if it is symbolic.
inline proto::ValueInfoProto value_info(const std::string& name, const Strings& dims,
                                        std::int32_t type = proto::TensorProto::FLOAT) {
  proto::ValueInfoProto info;
  info.set_name(name);
  auto* tensor = info.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto* shape = tensor->mutable_shape();
  for (const auto& d : dims) {
    auto* dim = shape->add_dim();
    const bool number = !d.empty() && (std::isdigit(static_cast<unsigned char>(d[0])) != 0);
    if (number)
      dim->set_dim_value(std::stoll(d));
    else if (!d.empty())
      dim->set_dim_param(d);
  }
  return info;
}

inline proto::ModelProto model(int opset = 17, int ir = 8) {
  proto::ModelProto made;
  made.set_ir_version(ir);
  made.add_opset_import()->set_version(opset);
  made.mutable_graph()->set_name("g");
  return made;
}

/// A model with the input x: f32[2,3], these nodes and the output y.
inline proto::ModelProto model_of(const std::vector<proto::NodeProto>& nodes, int opset = 17,
                                  const Strings& dims = {"2", "3"},
                                  const Strings& outputs = {"y"}) {
  proto::ModelProto made = model(opset);
  auto& graph = *made.mutable_graph();
  *graph.add_input() = value_info("x", dims);
  for (const auto& n : nodes) *graph.add_node() = n;
  for (const auto& output : outputs) graph.add_output()->set_name(output);
  return made;
}

inline Graph load_serialised(const std::string& bytes, const LoadOptions& options = {}) {
  const auto owner = std::make_shared<std::string>(bytes);
  return load_bytes(std::as_bytes(std::span<const char>(owner->data(), owner->size())), owner,
                    options);
}

inline Graph load_model(const proto::ModelProto& from, const LoadOptions& options = {}) {
  return load_serialised(from.SerializeAsString(), options);
}

/// Fails the test unless `body` throws an Error of this kind whose text has all these parts.
inline void expect_error(ErrorKind kind, const Strings& parts, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), name(kind)) << error.what();
    for (const auto& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "expected '" << part << "' in: " << error.what();
    return;
  }
  ADD_FAILURE() << "no error was raised";
}

/// The verified graph of a model as text.
inline std::string text(const proto::ModelProto& from, const LoadOptions& options = {}) {
  const Graph graph = load_model(from, options);
  verify(graph);
  return print(graph);
}

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace braid::onnx::testing
