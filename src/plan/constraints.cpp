#include "plan/constraints.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {
namespace {

/// Replaces views by the nodes that write their bytes.
std::vector<NodeId> without_views(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> found;
  std::vector<NodeId> open = nodes;
  std::vector<bool> seen(graph.node_limit(), false);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id.at()]) continue;
    seen[id.at()] = true;
    if (!is_view(graph.node(id))) {
      found.push_back(id);
      continue;
    }
    for (ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).producer.valid())
        open.push_back(graph.value(input).producer);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool has_views(const Graph& graph, const std::vector<NodeId>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](NodeId id) { return is_view(graph.node(id)); });
}

std::string at_line(const Constraint& constraint) {
  return fmt::format("edits line {} ({})", constraint.line, printable(constraint.written, 100));
}

void check_pins(const Graph& graph, std::span<const Constraint> constraints, int streams) {
  std::map<NodeId, const Constraint*> pins;
  for (const Constraint& constraint : constraints) {
    if (constraint.kind != EditKind::Pin) continue;
    if (constraint.stream >= streams)
      raise(ErrorKind::Model,
            fmt::format("{}: there is no stream {}; the device has {}, numbered from 0 (on a CPU "
                        "--threads gives more)",
                        at_line(constraint), constraint.stream, streams));
    for (NodeId node : constraint.a) {
      const Constraint*& pin = pins[node];
      if (pin != nullptr && pin->stream != constraint.stream)
        raise(ErrorKind::Model,
              fmt::format("{} pins {} to stream {}, but line {} pins it to stream {}: keep one of "
                          "them",
                          at_line(constraint), describe(graph, node), constraint.stream, pin->line,
                          pin->stream));
      pin = &constraint;
    }
  }
}

/// Nodes and `before` lines as vertices of one graph, with edges to what must come later.
class OrderGraph {
 public:
  OrderGraph(const Graph& graph, std::span<const Constraint> constraints)
      : graph_(graph), constraints_(constraints), lines_of_(graph.node_limit()) {
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      if (constraints[k].kind != EditKind::Before) continue;
      check_apart(constraints[k]);
      for (NodeId node : constraints[k].a) lines_of_[node.at()].push_back(k);
    }
  }

  /// Throws Model if there is a cycle.
  void check() const {
    std::vector<std::size_t> missing(size(), 0);
    for (std::size_t v = 0; v < size(); ++v)
      for_each_after(v, [&](std::size_t after) { ++missing[after]; });
    std::vector<std::size_t> ready;
    for (std::size_t v = 0; v < size(); ++v)
      if (missing[v] == 0) ready.push_back(v);
    for (std::size_t i = 0; i < ready.size(); ++i)
      for_each_after(ready[i], [&](std::size_t after) {
        if (--missing[after] == 0) ready.push_back(after);
      });
    if (ready.size() < size()) raise_cycle(missing);
  }

 private:
  std::size_t size() const { return graph_.node_limit() + constraints_.size(); }
  bool is_line(std::size_t v) const { return v >= graph_.node_limit(); }
  const Constraint& line(std::size_t v) const { return constraints_[v - graph_.node_limit()]; }

  template <class F>
  void for_each_after(std::size_t v, F&& f) const {
    if (is_line(v)) {
      if (line(v).kind == EditKind::Before)
        for (NodeId node : line(v).b) f(node.at());
      return;
    }
    const NodeId id(static_cast<std::int64_t>(v));
    if (!graph_.alive(id)) return;
    for (ValueId output : graph_.node(id).outputs)
      if (output.valid())
        for (NodeId reader : graph_.value(output).consumers) f(reader.at());
    for (std::size_t k : lines_of_[v]) f(graph_.node_limit() + k);
  }

  void check_apart(const Constraint& constraint) const {
    for (NodeId node : constraint.a)
      if (std::binary_search(constraint.b.begin(), constraint.b.end(), node))
        raise(ErrorKind::Model,
              fmt::format("{}: {} cannot come before itself; it stands on both sides",
                          at_line(constraint), braid::describe(graph_, node)));
  }

  /// Goes back along vertices that nothing can free, until one comes again.
  [[noreturn]] void raise_cycle(const std::vector<std::size_t>& missing) const {
    std::vector<std::size_t> before(size(), size());  // a stuck vertex before each stuck one
    for (std::size_t v = 0; v < size(); ++v)
      if (missing[v] > 0)
        for_each_after(v, [&](std::size_t after) {
          if (missing[after] > 0 && before[after] == size()) before[after] = v;
        });
    std::size_t at = 0;
    while (missing[at] == 0) ++at;
    std::vector<bool> seen(size(), false);
    for (; !seen[at]; at = before[at]) seen[at] = true;
    std::vector<std::size_t> cycle;  // backwards
    for (std::size_t v = at; cycle.empty() || v != at; v = before[v]) cycle.push_back(v);
    std::reverse(cycle.begin(), cycle.end());
    // The last line of the cycle is to blame; what follows it is what stands against it.
    const auto blamed = std::max_element(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), blamed, cycle.end());
    raise(ErrorKind::Model,
          fmt::format("{} asks for {} before {}, but they must run in this order: {}; remove the "
                      "line or turn it round",
                      at_line(line(cycle[0])), describe(cycle.back()), describe(cycle[1]),
                      path_text(cycle)));
  }

  std::string describe(std::size_t v) const {
    return braid::describe(graph_, NodeId(static_cast<std::int64_t>(v)));
  }

  std::string path_text(const std::vector<std::size_t>& cycle) const {
    constexpr std::size_t kShown = 4;  // at each end
    std::string text;
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      if (is_line(cycle[i])) {
        text += fmt::format(" (line {})", line(cycle[i]).line);
        continue;
      }
      if (i > kShown && i + kShown < cycle.size()) {
        if (i == kShown + 1) text += " → …";
        continue;
      }
      text += (text.empty() ? "" : " → ") + describe(cycle[i]);
    }
    return text;
  }

  const Graph& graph_;
  std::span<const Constraint> constraints_;
  std::vector<std::vector<std::size_t>> lines_of_;
};

}  // namespace

std::vector<Constraint> constraints_of(const Graph& graph, const NodeNames& names,
                                       std::span<const PlanEdit> edits, int streams) {
  std::vector<Constraint> constraints;
  for (const PlanEdit& edit : edits) {
    Constraint& constraint = constraints.emplace_back();
    constraint.kind = edit.kind;
    constraint.stream = edit.stream;
    constraint.line = edit.line;
    constraint.written = edit.written;
    const auto where = [&] { return "in " + at_line(constraint); };
    const auto nodes_of = [&](const NodePattern& pattern) {
      std::vector<NodeId> found = with_note(where, [&] { return names.find(pattern); });
      return has_views(graph, found) ? without_views(graph, found) : found;
    };
    constraint.a = nodes_of(edit.a);
    if (edit.kind != EditKind::Pin) constraint.b = nodes_of(edit.b);
  }
  check_pins(graph, constraints, streams);
  OrderGraph(graph, constraints).check();
  return constraints;
}

}  // namespace braid
