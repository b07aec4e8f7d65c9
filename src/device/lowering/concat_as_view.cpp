#include <algorithm>
#include <optional>
#include <ranges>

#include "device/lowering/rules.h"
#include "device/lowering/view_buffers.h"
#include "ops/shared/axes.h"
#include "ops/shared/elements.h"
#include "plan/view.h"

namespace braid {
namespace {

/// Inputs of a Concat from `begin` to `end` that stand side by side and have to be copied.
struct Run {
  std::size_t begin;
  std::size_t end;
};

/// A Concat whose output holds its inputs: which of them are copied there.
struct Joined {
  std::vector<Run> copied;
  std::int64_t in_place_bytes = 0;  ///< of those that are written there at once
};

/// Makes Concats views, from the first on: whoever comes first gets a value that two want.
class Joiner {
 public:
  explicit Joiner(Graph& graph) : graph_(graph), buffers_(graph) {}

  std::int64_t run() {
    std::int64_t changes = 0;
    for (const NodeId id : graph_.nodes_in_order())
      if (const auto joined = join(id)) {
        make_view(id, *joined);
        ++changes;
      }
    return changes;
  }

 private:
  std::optional<Joined> join(NodeId id) {
    const Node& concat = graph_.node(id);
    if (elements_of(concat) != Elements::Joined || !has_true_pieces(concat)) return std::nullopt;
    Joined joined;
    std::vector<ValueId> in_place;
    for (std::size_t i = 0; i < concat.inputs.size(); ++i) {
      const ValueId piece = concat.inputs[i];
      if (can_lie_inside(piece, in_place)) {
        in_place.push_back(piece);
        joined.in_place_bytes += byte_size(graph_.value(piece).type);
      } else if (!joined.copied.empty() && joined.copied.back().end == i) {
        joined.copied.back().end = i + 1;
      } else {
        joined.copied.push_back({i, i + 1});
      }
    }
    if (in_place.empty() || !is_worth_it(concat, joined)) return std::nullopt;
    return joined;
  }

  bool has_true_pieces(const Node& concat) const {
    // An edit would remove one that nothing reads.
    if (!lives_in_arena(graph_, concat.outputs[0]) ||
        graph_.value(concat.outputs[0]).consumers.empty())
      return false;
    const TensorType& whole = graph_.value(concat.outputs[0]).type;
    return has_dense_pieces(whole.dims, axis_of(concat)) &&
           std::ranges::all_of(concat.inputs, [&](ValueId piece) {
             return is_true_piece(graph_.value(piece).type, whole);
           });
  }

  std::size_t axis_of(const Node& concat) const {
    const Dims& dims = graph_.value(concat.outputs[0]).type.dims;
    return static_cast<std::size_t>(
        normal_axis(concat.op, concat.attributes.integer("axis", 0), std::ssize(dims)));
  }

  /// Whether what makes the value can write it into the whole, as no other place claims it.
  bool can_lie_inside(ValueId piece, const std::vector<ValueId>& others) {
    return lives_in_arena(graph_, piece) && buffers_.is_whole(piece) &&
           std::ranges::none_of(others,
                                [&](ValueId other) { return buffers_.share(piece, other); });
  }

  /// One kernel would copy all pieces. One that copies fewer is never slower; several are worth it
  /// if they have little to copy.
  bool is_worth_it(const Node& concat, const Joined& joined) const {
    return joined.copied.size() <= 1 ||
           2 * joined.in_place_bytes >= byte_size(graph_.value(concat.outputs[0]).type);
  }

  void make_view(NodeId id, const Joined& joined) {
    const NodeId view = joined.copied.empty() ? id : with_copies(id, joined.copied);
    graph_.set_lowering(view, {std::string(kViewImplementation), 0, {}});
    for (const ViewLink& link : view_links(graph_, view)) buffers_.join(link.whole, link.piece);
  }

  /// The Concat that reads copies instead of these inputs.
  NodeId with_copies(NodeId id, const std::vector<Run>& copied) {
    Node concat = graph_.node(id);
    const ValueId before = concat.outputs[0];
    const std::string name = graph_.value(before).name;
    GraphEdit edit("concat-as-view");
    for (const Run& run : std::views::reverse(copied)) copy(run, concat, edit);
    concat.outputs.clear();
    edit.replace(before, edit.add_node(std::move(concat), {graph_.value(before).type})[0]);
    graph_.apply(edit);
    const ValueId whole = graph_.find(name);
    buffers_.join(whole, before);  // which is gone, but what shares its buffer is not
    return graph_.value(whole).producer;
  }

  /// Puts one copy in the place of a run of inputs.
  void copy(const Run& run, Node& concat, GraphEdit& edit) const {
    const auto begin = concat.inputs.begin() + static_cast<std::ptrdiff_t>(run.begin);
    const auto end = concat.inputs.begin() + static_cast<std::ptrdiff_t>(run.end);
    const std::size_t axis = axis_of(concat);
    TensorType type = graph_.value(*begin).type;
    for (auto piece = begin + 1; piece != end; ++piece)
      type.dims[axis] += graph_.value(*piece).type.dims[axis];
    Node copy;
    copy.name =
        (concat.name.empty() ? graph_.value(concat.outputs[0]).name : concat.name) + "/copy";
    copy.inputs.assign(begin, end);
    if (copy.inputs.size() == 1) {
      copy.op = "Identity";
      copy.lowering.implementation = "copy";
    } else {
      copy.op = concat.op;
      copy.attributes = concat.attributes;
    }
    *begin = edit.add_node(std::move(copy), {std::move(type)})[0];
    concat.inputs.erase(begin + 1, end);
  }

  Graph& graph_;
  ViewBuffers buffers_;
};

std::int64_t view_concats(Graph& graph, Allowance&) { return Joiner(graph).run(); }

}  // namespace

RewriteStep concat_as_view() {
  return {"concat-as-view", "the inputs of a Concat are written into its output", view_concats};
}

}  // namespace braid
