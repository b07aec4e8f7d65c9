#include "device/kernel_identity.h"

#include <set>

#include "base/hash.h"
#include "graph/graph.h"

namespace braid {

std::string with_identity(std::string text, std::string_view identity) {
  if (!identity.empty()) text.append("; kernels ").append(identity);
  return text;
}

std::string kernel_identity(const Device& device, const Graph& lowered) {
  std::set<std::string> identities;
  for (const NodeId id : lowered.node_ids())
    if (!is_view(lowered.node(id)))
      identities.insert(device.kernel_identity(lowered.node(id).lowering.implementation));
  identities.erase("");
  if (identities.empty()) return {};
  Hasher hasher;
  for (const std::string& identity : identities) hasher.add(std::string_view(identity));
  return to_string(hasher.finish());
}

}  // namespace braid
