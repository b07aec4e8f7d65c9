#pragma once

#include <map>
#include <string>
#include <string_view>

#include "onnx/proto.h"

namespace braid::onnx {

using OpsetList = google::protobuf::RepeatedPtrField<proto::OperatorSetIdProto>;

/// Which version of each operator set a model or function was written in.
class Opsets {
 public:
  /// Throws Model if a domain is listed twice with different versions, Unsupported if ONNX's own
  /// version is one that Braid does not read.
  explicit Opsets(const OpsetList& imports);

  bool states_standard() const { return versions_.contains(""); }
  /// Of ONNX's own operators. Throws Model if the model does not state it.
  int standard() const;
  /// For messages: "version 3", "no version".
  std::string version_text(std::string_view domain) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> versions_;
};

/// "ai.onnx" is another name of "".
std::string_view plain_domain(std::string_view domain);

/// Throws Model if it is missing, Unsupported if it is newer than Braid knows.
void check_ir_version(const proto::ModelProto& model);

}  // namespace braid::onnx
