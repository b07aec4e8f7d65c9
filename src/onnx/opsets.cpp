#include "onnx/opsets.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/load.h"

namespace braid::onnx {

std::string_view plain_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

Opsets::Opsets(const OpsetList& imports) {
  for (const auto& entry : imports) {
    const std::string domain(plain_domain(entry.domain()));
    const auto [at, fresh] = versions_.try_emplace(domain, entry.version());
    if (!fresh && at->second != entry.version())
      raise(ErrorKind::Model, fmt::format("domain {} is imported in versions {} and {}",
                                          quote(domain), at->second, entry.version()));
  }
  const auto found = versions_.find("");
  if (found != versions_.end() && found->second < 1)
    raise(ErrorKind::Model, fmt::format("the model states opset {}", found->second));
}

void Opsets::check_standard() const {
  const auto found = versions_.find("");
  if (found == versions_.end()) return;
  if (found->second < kOldestOpset || found->second > kNewestOpset)
    raise(ErrorKind::Unsupported,
          fmt::format("the model uses opset {}; opsets {} to {} are supported; convert it with "
                      "onnx.version_converter",
                      found->second, kOldestOpset, kNewestOpset));
}

int Opsets::standard() const {
  const auto found = versions_.find("");
  if (found == versions_.end())
    raise(ErrorKind::Model, "the model does not state the opset of ONNX's own operators");
  constexpr std::int64_t kBeyondAll = 1'000'000;
  return static_cast<int>(std::min(found->second, kBeyondAll));
}

std::string Opsets::version_text(std::string_view domain) const {
  const auto found = versions_.find(domain);
  return found == versions_.end() ? "no version" : fmt::format("version {}", found->second);
}

void check_ir_version(const proto::ModelProto& model) {
  if (!model.has_ir_version() || model.ir_version() < 1)
    raise(ErrorKind::Model, "not a valid ONNX model: it states no IR version");
  if (model.ir_version() > kNewestIr)
    raise(ErrorKind::Unsupported,
          fmt::format("the model has IR version {}; versions up to {} are supported",
                      model.ir_version(), kNewestIr));
  if (!model.has_graph()) raise(ErrorKind::Model, "not a valid ONNX model: it has no graph");
}

}  // namespace braid::onnx
