#include "onnx/element_types.h"

#include <fmt/format.h>

#include "base/error.h"
#include "onnx/proto.h"
#include "ops/shared/onnx_type.h"

namespace braid::onnx {

ElementType require_element(std::int32_t data_type, const std::string& what) {
  if (const auto element = element_of_onnx(data_type)) return *element;
  if (!proto::TensorProto::DataType_IsValid(data_type) ||
      data_type == proto::TensorProto::UNDEFINED)
    raise(ErrorKind::Model,
          fmt::format("{} has the element type {}, which ONNX does not define", what, data_type));
  const auto theirs = static_cast<proto::TensorProto::DataType>(data_type);
  raise(ErrorKind::Unsupported, fmt::format("{} has elements of type {}, which is not supported",
                                            what, proto::TensorProto::DataType_Name(theirs)));
}

}  // namespace braid::onnx
