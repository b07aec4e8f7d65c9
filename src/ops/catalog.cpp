#include "ops/catalog.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"

namespace braid {

const std::vector<OpDef>& catalog() {
  static const std::vector<OpDef> sorted = [] {
    std::vector<OpDef> defs;
    for (const auto family : kFamilies)
      for (OpDef& def : family()) defs.push_back(std::move(def));
    std::sort(defs.begin(), defs.end(),
              [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
    return defs;
  }();
  return sorted;
}

const OpDef* find_op(std::string_view name) {
  const auto& defs = catalog();
  const auto at = std::lower_bound(defs.begin(), defs.end(), name,
                                   [](const OpDef& def, auto n) { return def.name < n; });
  return at != defs.end() && at->name == name ? &*at : nullptr;
}

const OpDef& op_def(std::string_view name) {
  const OpDef* def = find_op(name);
  if (def == nullptr)
    raise(ErrorKind::Unsupported, fmt::format("operator {} is not supported", quote(name)));
  return *def;
}

}  // namespace braid
