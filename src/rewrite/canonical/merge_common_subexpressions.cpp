#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>

#include "ops/catalog.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Larger constants are merged only if they share their bytes, so that weights need not be read.
constexpr std::size_t kLargestCompared = std::size_t{64} << 10;

/// Keys cost little, so that looking for equal things costs little where there are none. What has
/// the same key is compared; so many at most, for a hostile model may have many of a key.
using Key = std::uint64_t;
constexpr std::ptrdiff_t kMostCompared = 64;

void add_to(Key& key, std::uint64_t number) {
  key = (key ^ number) * 0x9e3779b97f4a7c15U;
  key ^= key >> 32U;
}

void add_to(Key& key, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(sizeof(std::uint64_t), bytes.size()))) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), std::min(sizeof(number), bytes.size()));
    add_to(key, number);
  }
}

void add_to(Key& key, const Attributes& attributes) {
  for (const auto& [name, attribute] : attributes) {
    add_to(key, std::as_bytes(std::span(name)));
    if (const auto* number = std::get_if<std::int64_t>(&attribute))
      add_to(key, static_cast<std::uint64_t>(*number));
    else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute))
      add_to(key, std::as_bytes(std::span(*list)));
    else if (const auto* text = std::get_if<std::string>(&attribute))
      add_to(key, std::as_bytes(std::span(*text)));
  }
}

/// Of a long constant only the ends count.
Key key_of(const Tensor& constant) {
  constexpr std::size_t end = 64;
  const auto bytes = constant.bytes();
  Key key = bytes.size();
  add_to(key, static_cast<std::uint64_t>(constant.element()));
  for (std::int64_t d : constant.dims()) add_to(key, static_cast<std::uint64_t>(d));
  if (bytes.size() > kLargestCompared) {
    add_to(key, reinterpret_cast<std::uintptr_t>(bytes.data()));
  } else if (bytes.size() <= 2 * end) {
    add_to(key, bytes);
  } else {
    add_to(key, bytes.first(end));
    add_to(key, bytes.last(end));
  }
  return key;
}

/// The first of the things under a key for which the test holds; null if there is none.
template <class T, class Test>
const T* find_equal(const std::unordered_multimap<Key, T>& things, Key key, const Test& test) {
  std::ptrdiff_t left = kMostCompared;
  for (auto at = things.find(key); at != things.end() && at->first == key && left > 0; ++at, --left)
    if (test(at->second)) return &at->second;
  return nullptr;
}

bool is_commutative(const Node& node) {
  const OpDef* def = find_op(node.op);
  return node.inputs.size() == 2 && def != nullptr && def->commutes;
}

std::vector<ValueId> compared_inputs(const Node& node) {
  std::vector<ValueId> inputs = node.inputs;
  if (is_commutative(node)) std::sort(inputs.begin(), inputs.end());
  return inputs;
}

Key key_of(const Node& node) {
  Key key = node.inputs.size();
  add_to(key, std::as_bytes(std::span(node.op)));
  add_to(key, node.attributes);
  std::uint64_t in_any_order = 0;
  for (ValueId input : node.inputs) {
    Key one = 0;
    add_to(one, static_cast<std::uint64_t>(input.index) + 1);
    in_any_order += one;
  }
  add_to(key, in_any_order);
  return key;
}

bool same(const Graph& graph, const Node& a, const Node& b) {
  if (a.op != b.op || a.attributes != b.attributes || a.outputs.size() != b.outputs.size() ||
      compared_inputs(a) != compared_inputs(b))
    return false;
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    if (a.outputs[i].valid() != b.outputs[i].valid()) return false;
    if (a.outputs[i].valid() && graph.value(a.outputs[i]).type != graph.value(b.outputs[i]).type)
      return false;
  }
  return true;
}

/// What tells constants apart: their elements or, if nobody has turned them yet, those that are to
/// be turned.
struct Known {
  explicit Known(const Tensor& constant)
      : turned(constant.turned_from().defined()),
        elements(turned ? constant.turned_from() : constant) {}

  bool turned;
  Tensor elements;
};

std::int64_t merge_constants(Graph& graph) {
  std::int64_t changes = 0;
  std::unordered_multimap<Key, ValueId> kept;
  for (ValueId id : graph.value_ids()) {
    if (!graph.is_constant(id)) continue;
    const Known constant(graph.value(id).constant);
    if (constant.elements.is_promised()) continue;
    Key key = key_of(constant.elements);
    add_to(key, static_cast<std::uint64_t>(constant.turned));
    const ValueId* equal = find_equal(kept, key, [&](ValueId one) {
      const Known other(graph.value(one).constant);
      return other.turned == constant.turned && identical(other.elements, constant.elements);
    });
    if (equal == nullptr) {
      kept.emplace(key, id);
      continue;
    }
    GraphEdit edit("merge-common-subexpressions");
    edit.replace(id, *equal);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace

// In the graph's own order the node that stays stands before the users of the one that goes, so
// no edit disturbs that order.
std::int64_t merge_common_subexpressions(Graph& graph, Allowance&) {
  std::int64_t changes = merge_constants(graph);
  std::unordered_multimap<Key, NodeId> first;
  for (NodeId id : graph.nodes_in_order()) {
    const Node& node = graph.node(id);
    const Key key = key_of(node);
    const NodeId* equal =
        find_equal(first, key, [&](NodeId one) { return same(graph, node, graph.node(one)); });
    if (equal == nullptr) {
      first.emplace(key, id);
      continue;
    }
    const Node& kept = graph.node(*equal);
    GraphEdit edit("merge-common-subexpressions");
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) edit.replace(node.outputs[i], kept.outputs[i]);
    graph.apply(edit);
    ++changes;
  }
  return changes;
}

}  // namespace braid
