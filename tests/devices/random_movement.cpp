#include "tests/devices/random_movement.h"

#include <algorithm>
#include <random>

#include "ops/builder.h"

namespace braid {
namespace {

class MovementDraw {
 public:
  explicit MovementDraw(std::uint64_t seed) : random_(seed) {
    values_ = {graph_.add_input("x", {ElementType::F32, {4, 6}})};
  }

  Graph graph() {
    constexpr int kNodes = 16;
    for (int i = 0; i < kNodes; ++i) add_node();
    for (const ValueId id : graph_.value_ids())
      if (graph_.value(id).producer.valid() &&
          (graph_.value(id).consumers.empty() || below(10) == 0))
        graph_.add_output(id);
    return std::move(graph_);
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  ValueId any() {
    return values_[values_.size() - 1 - below(std::min<std::size_t>(5, values_.size()))];
  }

  /// Another value of the same length along an axis; itself if there is none.
  ValueId partner(ValueId of, std::size_t axis) {
    std::vector<ValueId> found;
    for (const ValueId id : values_)
      if (id != of && builder_.dims(id)[axis] == builder_.dims(of)[axis]) found.push_back(id);
    return found.empty() ? of : found[below(found.size())];
  }

  void add(std::string_view op, std::vector<ValueId> inputs, const Attributes& attributes = {}) {
    values_.push_back(builder_.add(op, std::move(inputs), attributes));
  }

  ValueId list(std::vector<std::int64_t> elements) {
    return builder_.integers("c" + std::to_string(constants_++), std::move(elements));
  }

  void split(ValueId from, std::int64_t axis) {
    Node node;
    node.op = "Split";
    node.inputs = {from};
    node.attributes.set("axis", axis);
    node.attributes.set("num_outputs", std::int64_t{2});
    const NodeId id = builder_.add_node(std::move(node), {"left", "right"});
    for (const ValueId piece : graph_.node(id).outputs) values_.push_back(piece);
  }

  void add_node() {
    const ValueId from = any();
    const Dims dims = builder_.dims(from);
    const std::size_t axis = below(2);
    Attributes along;
    along.set("axis", static_cast<std::int64_t>(axis));
    switch (below(8)) {
      case 0:
        return add("Transpose", {from});
      case 1:
        return add("Reshape", {from, list({dims[1], dims[0]})});
      case 2:
        if (dims[axis] >= 2) return split(from, static_cast<std::int64_t>(axis));
        return add("Identity", {from});
      case 3:
      case 4:
        if (dims[axis] < 24) return add("Concat", {from, partner(from, 1 - axis)}, along);
        return add("Neg", {from});
      case 5: {
        const ValueId wide = builder_.add("Unsqueeze", {from, list({1})});
        return add("Squeeze", {wide, list({1})});
      }
      case 6:
        return add("Add", {from, from});
      default:
        return add(below(2) == 0 ? "Relu" : "Neg", {from});
    }
  }

  std::mt19937_64 random_;
  Graph graph_;
  Builder builder_{graph_};
  std::vector<ValueId> values_;
  int constants_ = 0;
};

}  // namespace

Graph random_movement(std::uint64_t seed) { return MovementDraw(seed).graph(); }

}  // namespace braid
