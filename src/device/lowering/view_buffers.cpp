#include "device/lowering/view_buffers.h"

#include <algorithm>

#include "ops/shared/elements.h"
#include "plan/view.h"

namespace braid {

bool hands_on_bytes(const Graph& graph, NodeId id) {
  return keeps_elements(graph.node(id)) && !rejects_view(graph, id);
}

bool has_dense_pieces(const Dims& whole, std::size_t axis) {
  return std::all_of(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(axis),
                     [](std::int64_t extent) { return extent == 1; });
}

bool is_true_piece(const TensorType& piece, const TensorType& whole) {
  return byte_size(piece) > 0 && byte_size(piece) < byte_size(whole);
}

ViewBuffers::ViewBuffers(const Graph& graph) : graph_(graph) {
  if (graph.value_limit() > 0) root(ValueId(static_cast<std::int64_t>(graph.value_limit()) - 1));
  for (const NodeId id : graph.node_ids()) {
    const bool is_open = graph.node(id).lowering.implementation.empty();
    if (!is_view(graph.node(id)) && !(is_open && hands_on_bytes(graph, id))) continue;
    for (const ViewLink& link : view_links(graph, id)) join(link.whole, link.piece);
  }
}

std::size_t ViewBuffers::root(ValueId value) {
  while (parent_.size() <= value.at()) {
    const ValueId next(static_cast<std::int64_t>(parent_.size()));
    parent_.push_back(next.at());
    bytes_.push_back(graph_.alive(next) ? byte_size(graph_.value(next).type) : 0);
  }
  std::size_t i = value.at();
  while (parent_[i] != i) {
    parent_[i] = parent_[parent_[i]];
    i = parent_[i];
  }
  return i;
}

bool ViewBuffers::is_whole(ValueId value) {
  return byte_size(graph_.value(value).type) == bytes_[root(value)];
}

void ViewBuffers::join(ValueId a, ValueId b) {
  const std::size_t first = root(a);
  const std::size_t second = root(b);
  parent_[second] = first;
  bytes_[first] = std::max(bytes_[first], bytes_[second]);
}

}  // namespace braid
