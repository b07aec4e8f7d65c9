#include "onnx/constant_node.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

template <class T>
Tensor list(const std::vector<T>& elements) {
  return Tensor::of<T>({static_cast<std::int64_t>(elements.size())}, std::span<const T>(elements));
}

}  // namespace

Tensor constant_of(const Attributes& attributes) {
  if (attributes.size() != 1)
    raise(ErrorKind::Model,
          fmt::format("Constant needs one attribute, its value; got {}", attributes.size()));
  const std::string& name = attributes.begin()->first;
  if (name == "value") return attributes.tensor(name);
  if (name == "value_float") return Tensor::scalar(attributes.real(name, 0));
  if (name == "value_int") return Tensor::scalar(attributes.integer(name, 0));
  if (name == "value_floats") return list(attributes.reals(name));
  if (name == "value_ints") return list(attributes.integers(name));
  if (name == "value_string" || name == "value_strings" || name == "sparse_value")
    raise(ErrorKind::Unsupported, fmt::format("Constant with {} is not supported", name));
  raise(ErrorKind::Model, fmt::format("Constant has no attribute {}", quote(name)));
}

}  // namespace braid::onnx
