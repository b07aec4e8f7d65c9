#include "onnx/inlined_size.h"

#include <fmt/format.h>

#include "base/error.h"

namespace braid::onnx {

void InlinedSize::add(const proto::NodeProto& node, bool is_inlined) {
  check_room_for(1);
  ++nodes_;
  if (!is_inlined) return;
  inlined_bytes_ += static_cast<std::int64_t>(node.ByteSizeLong());
  if (inlined_bytes_ > quotas_.metadata_bytes)
    raise(ErrorKind::Quota, fmt::format("with its functions inlined the model's metadata needs "
                                        "more than {} bytes (quota 'metadata_bytes')",
                                        quotas_.metadata_bytes));
}

void InlinedSize::check_room_for(std::int64_t more) const {
  if (nodes_ + more > quotas_.nodes)
    raise(ErrorKind::Quota,
          fmt::format("with its functions inlined the model has more than {} nodes "
                      "(quota 'nodes')",
                      quotas_.nodes));
}

}  // namespace braid::onnx
