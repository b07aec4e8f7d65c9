#include "onnx/refusal.h"

#include <algorithm>
#include <cctype>

namespace braid::onnx {
namespace {

/// A reason without the names and numbers of one node.
std::string kind_of_reason(std::string_view reason) {
  std::string kept;
  bool quoted = false;
  for (const char c : reason) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && std::isdigit(static_cast<unsigned char>(c)) == 0) kept += c;
  }
  return kept;
}

}  // namespace

std::string_view name(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::Operator:
      return "operator";
    case Refusal::Kind::Use:
      return "use";
    case Refusal::Kind::Type:
      return "type";
    case Refusal::Kind::Version:
      return "version";
  }
  return "operator";
}

void Refusals::add(Refusal refusal) {
  const auto [at, fresh] = places_.try_emplace(
      {refusal.kind, refusal.domain, refusal.what,
       refusal.kind == Refusal::Kind::Use ? kind_of_reason(refusal.reason) : std::string()},
      list_.size());
  if (fresh)
    list_.push_back(std::move(refusal));
  else
    list_[at->second].count += refusal.count;
}

}  // namespace braid::onnx
