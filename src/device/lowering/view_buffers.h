#pragma once

#include <vector>

#include "graph/graph.h"

namespace braid {

/// Whether a node's output can lie in its input's bytes under another shape: Reshape and its kin
/// whose values live in the arena.
bool hands_on_bytes(const Graph& graph, NodeId id);

/// Whether row-major pieces of a row-major value along an axis are dense: nothing comes before it.
bool has_dense_pieces(const Dims& whole, std::size_t axis);

/// Whether a piece has some but not all of the bytes of its whole.
bool is_true_piece(const TensorType& piece, const TensorType& whole);

/// Which values of a graph that is being lowered share a buffer, since views join them: nodes that
/// are views already, and those that hand on bytes. All of them are dense and row-major.
class ViewBuffers {
 public:
  /// The graph outlives it, and may change.
  explicit ViewBuffers(const Graph& graph);

  /// Whether the value takes up all of its buffer. If so, the buffer can lie inside another.
  bool is_whole(ValueId value);
  bool share(ValueId a, ValueId b) { return root(a) == root(b); }
  void join(ValueId a, ValueId b);

 private:
  std::size_t root(ValueId value);

  const Graph& graph_;
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> bytes_;  // of the buffer, by its root
};

}  // namespace braid
