#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/region.h"

namespace braid {

/// How the bytes of two values of a view (is_view(), graph/graph.h) belong together: `piece` lies
/// in `whole`. The step of a view neither reads nor writes; a step that reads its output reads what
/// the producers of its inputs wrote.
struct ViewLink {
  enum class Kind {
    SameOrder,  ///< all elements, in the same row-major order
    Permuted,   ///< all elements, dimension i of the piece is dimension permutation[i] of the whole
    Slice       ///< the elements from `begin` on along `axis`
  };
  ValueId whole;
  ValueId piece;
  Kind kind = Kind::SameOrder;
  std::vector<std::size_t> permutation = {};
  int axis = 0;
  std::int64_t begin = 0;
  bool joins = false;  ///< the whole is the node's output, the piece an input; else the other way

  ValueId input() const { return joins ? piece : whole; }
  ValueId output() const { return joins ? whole : piece; }
};

/// Why a node cannot be a view; nothing if it can. Views are Identity, Dropout, Reshape, Flatten,
/// Squeeze, Unsqueeze, Transpose, Concat and Split whose values all live in the arena.
std::optional<std::string> rejects_view(const Graph& graph, NodeId id);
/// The links of a node that rejects_view() does not reject.
std::vector<ViewLink> view_links(const Graph& graph, NodeId id);

/// Where the piece lies if the whole lies in `whole`; nothing if no strides can say it.
std::optional<Region> piece_region(const Graph& graph, const ViewLink& link, const Region& whole);
/// Where the whole lies if the piece lies in `piece`; nothing if that does not follow.
std::optional<Region> whole_region(const Graph& graph, const ViewLink& link, const Region& piece);
/// The same walk through the elements divided into other extents; nothing if no strides can say it.
std::optional<Region> reshaped(const Region& from, const Dims& extents);
/// Whether every element has the same place in both, although extents of 1 may have any stride.
bool same_elements(const Region& a, const Region& b);

}  // namespace braid
