#pragma once

#include <cstdint>

#include "graph/quotas.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// What a model comes to with its functions inlined. Inlining copies nodes, so a small file could
/// ask for many.
class InlinedSize {
 public:
  /// The quotas must outlive it.
  explicit InlinedSize(const Quotas& quotas) : quotas_(quotas) {}

  /// Counts a node that is read. Throws Quota if there are too many nodes, or too many bytes of
  /// inlined ones.
  void add(const proto::NodeProto& node, bool is_inlined);
  /// Throws Quota if `more` nodes besides those counted would be too many.
  void check_room_for(std::int64_t more) const;

 private:
  const Quotas& quotas_;
  std::int64_t nodes_ = 0;
  std::int64_t inlined_bytes_ = 0;
};

}  // namespace braid::onnx
