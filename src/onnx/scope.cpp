#include "onnx/scope.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/refusal.h"

namespace braid::onnx {
namespace {

constexpr ValueId kUnknown(-2);

}  // namespace

void Scope::define(std::string_view name, ValueId value) {
  if (name.empty()) raise(ErrorKind::Model, "a value has no name");
  if (!values_.emplace(name, value).second)
    raise(ErrorKind::Model, fmt::format("value {} is defined twice", quote(name)));
}

ValueId Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->around_)
    if (const auto found = scope->values_.find(name); found != scope->values_.end())
      return found->second;
  return {};
}

void Scope::define_unknown(std::string_view name) { define(name, kUnknown); }

ValueId Scope::get(std::string_view name) const {
  const ValueId value = find(name);
  if (is_unknown(name)) throw UnknownValue(fmt::format("value {} is not known", quote(name)));
  if (!value.valid())
    raise(ErrorKind::Model, fmt::format("value {} is read, but nothing produces it", quote(name)));
  return value;
}

bool Scope::is_unknown(std::string_view name) const { return find(name) == kUnknown; }

void Scope::define_as(std::string_view name, const Scope& other, std::string_view there) {
  if (other.is_unknown(there))
    define_unknown(name);
  else
    define(name, other.get(there));
}

}  // namespace braid::onnx
