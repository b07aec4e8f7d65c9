#pragma once

#include <map>
#include <string>
#include <string_view>

#include "onnx/proto.h"

namespace braid::onnx {

using OpsetList = google::protobuf::RepeatedPtrField<proto::OperatorSetIdProto>;

/// The versions of the operator sets in which a model or function was written.
class Opsets {
 public:
  /// Throws Model if a domain is listed twice with different versions.
  explicit Opsets(const OpsetList& imports);

  /// Throws Unsupported if the version of ONNX's own operators is one that Braid does not read.
  void check_standard() const;

  bool states_standard() const { return versions_.contains(""); }
  /// The version of ONNX's own operators. Throws Model if the model does not state it.
  int standard() const;
  /// For messages: "version 3", "no version".
  std::string version_text(std::string_view domain) const;

 private:
  std::map<std::string, std::int64_t, std::less<>> versions_;
};

/// The domain's usual name: "" for "ai.onnx".
std::string_view plain_domain(std::string_view domain);

/// Throws Model if the IR version or the graph is missing, Unsupported if it is newer than Braid
/// knows.
void check_ir_version(const proto::ModelProto& model);

}  // namespace braid::onnx
