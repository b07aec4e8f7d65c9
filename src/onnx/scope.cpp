#include "onnx/scope.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {

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

ValueId Scope::get(std::string_view name) const {
  const ValueId value = find(name);
  if (!value.valid())
    raise(ErrorKind::Model, fmt::format("value {} is read, but nothing produces it", quote(name)));
  return value;
}

}  // namespace braid::onnx
