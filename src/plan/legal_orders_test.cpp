#include "plan/testing/legal_orders.h"

#include <algorithm>
#include <unordered_set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/order.h"
#include "graph/text.h"

namespace braid {
namespace {

using Token = std::uint64_t;
using Tokens = std::vector<Token>;
using Cells = std::vector<std::size_t>;  // where in memory, in row-major order of the elements

Token mix(Token a, Token b) {
  Token z = a * 0x9e3779b97f4a7c15ULL + b + 0x7f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Token mix(Token seed, const Tokens& tokens) {
  for (Token token : tokens) seed = mix(seed, token);
  return seed;
}

bool copies_nothing(const Node& node) { return node.lowering.implementation == "view"; }

/// What a step computes from its inputs, as read at its begin and at its end, and from its own
/// unfinished tokens.
Token digest(const Step& step, Token at_begin, Token at_end, Token own) {
  Token d = mix(static_cast<Token>(step.node.index), static_cast<Token>(step.part));
  return mix(mix(mix(d, at_begin), at_end), own);
}
Token unfinished(Token at_begin, std::size_t i) { return mix(mix(at_begin, 17), i); }
Token finished(Token result, std::size_t i) { return mix(mix(result, 23), i); }

/// The elements of a value that a step writes, in row-major order.
std::vector<std::size_t> written_elements(const TensorType& type, const Step& step) {
  std::vector<std::size_t> elements;
  std::int64_t inner = 1;
  std::int64_t extent = 1;
  CutRange range{0, 1};
  if (step.parts > 1) {
    const auto axis = static_cast<std::size_t>(step.cut.axis);
    for (std::size_t i = axis + 1; i < type.dims.size(); ++i) inner *= type.dims[i];
    extent = type.dims[axis];
    range = cut_range(type, step.cut, step.part, step.parts);
  }
  for (std::int64_t e = 0; e < element_count(type); ++e) {
    const std::int64_t index = e / inner % extent;
    if (index >= range.begin && index < range.end) elements.push_back(static_cast<std::size_t>(e));
  }
  return elements;
}

/// How many elements there are per index of an axis, and how many rows of that axis.
struct Rows {
  std::int64_t count = 1;
  std::int64_t inner = 1;

  Rows(const Dims& dims, std::size_t axis) {
    for (std::size_t i = 0; i < dims.size(); ++i) (i < axis ? count : inner) *= dims[i];
    inner /= dims[axis];
  }
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::int64_t begin, std::int64_t end) {
  to.insert(to.end(), from.begin() + begin, from.begin() + end);
}

/// The outputs of a view, made of what its inputs consist of: tokens or cells.
template <class T>
std::vector<std::vector<T>> viewed(const Graph& graph, const Node& node,
                                   const std::vector<std::vector<T>>& values) {
  const std::vector<T>& first = values[node.inputs[0].at()];
  const Dims& dims = graph.value(node.inputs[0]).type.dims;
  std::vector<std::vector<T>> out(node.outputs.size());
  if (node.op == "Transpose") {  // of a matrix
    for (std::int64_t column = 0; column < dims[1]; ++column)
      for (std::int64_t row = 0; row < dims[0]; ++row)
        out[0].push_back(first[static_cast<std::size_t>(row * dims[1] + column)]);
    return out;
  }
  if (node.op != "Concat" && node.op != "Split") return {first};
  // Row by row along the axes before the one that is joined or cut.
  const auto axis = static_cast<std::size_t>(node.attributes.integer("axis", 0));
  const Rows rows(dims, axis);
  const auto length = [&](ValueId id) { return graph.value(id).type.dims[axis] * rows.inner; };
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (node.op == "Concat")
      for (const ValueId id : node.inputs)
        append(out[0], values[id.at()], row * length(id), (row + 1) * length(id));
    else
      for (std::size_t i = 0; i < out.size(); ++i) {
        append(out[i], first, at, at + length(node.outputs[i]));
        at += length(node.outputs[i]);
      }
  }
  return out;
}

/// The tokens of every value when each has memory of its own.
class Expected {
 public:
  Expected(const Graph& graph, const Plan& plan) : graph_(graph), values_(graph.value_limit()) {
    for (ValueId input : graph.inputs())
      for (std::int64_t e = 0; e < element_count(graph.value(input).type); ++e)
        values_[input.at()].push_back(mix(static_cast<Token>(input.index), static_cast<Token>(e)));
    std::vector<std::vector<const Step*>> steps(graph.node_limit());
    for (const auto& stream : plan.streams)
      for (const Step& step : stream) steps[step.node.at()].push_back(&step);
    for (NodeId id : topological_order(graph)) {
      const Node& node = graph.node(id);
      if (copies_nothing(node)) {
        const auto outputs = viewed(graph, node, values_);
        for (std::size_t i = 0; i < outputs.size(); ++i) values_[node.outputs[i].at()] = outputs[i];
      } else
        for (const Step* step : steps[id.at()]) run(*step);
    }
  }

  const Tokens& value(ValueId id) const { return values_[id.at()]; }

  /// The tokens that a step reads, input after input.
  Tokens inputs(const Step& step) const {
    Tokens all;
    for (ValueId input : graph_.node(step.node).inputs)
      all.insert(all.end(), value(input).begin(), value(input).end());
    return all;
  }

  Token result(const Step& step) const {
    const Token read = mix(0, inputs(step));
    return digest(step, read, read, mix(0, own(step, read)));
  }

 private:
  Tokens own(const Step& step, Token read) const {
    std::size_t count = static_cast<std::size_t>(graph_.node(step.node).lowering.scratch_bytes) / 4;
    for (ValueId output : graph_.node(step.node).outputs)
      count += written_elements(graph_.value(output).type, step).size();
    Tokens tokens;
    for (std::size_t i = 0; i < count; ++i) tokens.push_back(unfinished(read, i));
    return tokens;
  }

  void run(const Step& step) {
    const Token made = result(step);
    std::size_t i = 0;
    for (ValueId output : graph_.node(step.node).outputs) {
      const TensorType& type = graph_.value(output).type;
      values_[output.at()].resize(static_cast<std::size_t>(element_count(type)));
      for (std::size_t e : written_elements(type, step))
        values_[output.at()][e] = finished(made, i++);
    }
  }

  const Graph& graph_;
  std::vector<Tokens> values_;
};

struct State {
  std::vector<std::size_t> events;  // of each stream, how many have happened
  Tokens memory;
  Tokens at_begin;  // of each stream, what its present step read

  Token hash() const {
    Token h = mix(mix(1, memory), at_begin);
    for (std::size_t e : events) h = mix(h, e);
    return h;
  }
};

class LegalOrders {
 public:
  LegalOrders(const Graph& graph, const Plan& plan)
      : graph_(graph), plan_(plan), expected_(graph, plan), cells_(graph.value_limit()) {
    std::size_t top = static_cast<std::size_t>(plan.arena_bytes) / 4;
    for (ValueId id : graph.value_ids()) {
      const auto elements = static_cast<std::size_t>(element_count(graph.value(id).type));
      if (lives_in_arena(graph, id)) {
        cells_[id.at()] = arena_cells(id);
      } else {
        for (std::size_t e = 0; e < elements; ++e) cells_[id.at()].push_back(top++);
      }
    }
    memory_size_ = top;
  }

  Harm run() {
    for (NodeId id : graph_.node_ids()) {
      const Node& node = graph_.node(id);
      if (!copies_nothing(node)) continue;
      const auto outputs = viewed(graph_, node, cells_);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (cells_[node.outputs[i].at()] != outputs[i]) return Harm::WrongResult;
    }
    State start;
    start.events.assign(plan_.streams.size(), 0);
    start.at_begin.assign(plan_.streams.size(), 0);
    start.memory.assign(memory_size_, 0);
    for (ValueId input : graph_.inputs())
      for (std::size_t e = 0; e < cells_[input.at()].size(); ++e)
        start.memory[cells_[input.at()][e]] = expected_.value(input)[e];
    std::vector<State> stack = {start};
    while (!stack.empty()) {
      const State state = std::move(stack.back());
      stack.pop_back();
      bool moved = false;
      for (std::size_t s = 0; s < plan_.streams.size(); ++s) {
        if (!ready(state, s)) continue;
        moved = true;
        State next = state;
        if (!happen(next, s)) return Harm::WrongResult;
        if (seen_.insert(next.hash()).second) stack.push_back(std::move(next));
      }
      if (!moved && !finished_all(state)) return Harm::Deadlock;
    }
    return Harm::None;
  }

 private:
  Cells arena_cells(ValueId id) const {
    const Dims& dims = graph_.value(id).type.dims;
    const Placement& place = plan_.placements[id.at()];
    std::vector<std::int64_t> strides = place.strides;
    if (strides.empty()) {
      strides.assign(dims.size(), 4);
      for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    }
    Cells cells;
    for (std::int64_t e = 0; e < element_count(dims); ++e) {
      std::int64_t at = place.offset;
      std::int64_t rest = e;
      for (std::size_t i = dims.size(); i-- > 0;) {
        at += rest % dims[i] * strides[i];
        rest /= dims[i];
      }
      cells.push_back(static_cast<std::size_t>(at) / 4);
    }
    return cells;
  }

  bool ended(const State& state, StepRef step) const {
    return state.events[step.stream.at()] >= 2 * static_cast<std::size_t>(step.index) + 2;
  }

  bool ready(const State& state, std::size_t s) const {
    const std::size_t event = state.events[s];
    if (event >= 2 * plan_.streams[s].size()) return false;
    if (event % 2 == 1) return true;
    const auto& waits = plan_.streams[s][event / 2].waits;
    return std::all_of(waits.begin(), waits.end(), [&](StepRef w) { return ended(state, w); });
  }

  bool finished_all(const State& state) const {
    for (std::size_t s = 0; s < plan_.streams.size(); ++s)
      if (state.events[s] < 2 * plan_.streams[s].size()) return false;
    return true;
  }

  Token read_inputs(const State& state, const Node& node) const {
    Tokens read;
    for (ValueId input : node.inputs)
      for (std::size_t cell : cells_[input.at()]) read.push_back(state.memory[cell]);
    return mix(0, read);
  }

  /// The cells that a step may write: of its outputs, then of its scratch.
  Cells own_cells(const Step& step) const {
    const Node& node = graph_.node(step.node);
    Cells own;
    for (ValueId output : node.outputs)
      for (std::size_t e : written_elements(graph_.value(output).type, step))
        own.push_back(cells_[output.at()][e]);
    for (std::int64_t i = 0; i < node.lowering.scratch_bytes / 4; ++i)
      own.push_back(static_cast<std::size_t>(step.scratch_offset / 4 + i));
    return own;
  }

  /// The next event of a stream. False if a step computed something else than it should.
  bool happen(State& state, std::size_t s) const {
    const std::size_t event = state.events[s]++;
    const Step& step = plan_.streams[s][event / 2];
    const Node& node = graph_.node(step.node);
    if (copies_nothing(node)) return true;
    const Token read = read_inputs(state, node);
    const Cells own = own_cells(step);
    if (event % 2 == 0) {
      state.at_begin[s] = read;
      for (std::size_t i = 0; i < own.size(); ++i) state.memory[own[i]] = unfinished(read, i);
      return true;
    }
    Tokens found;
    for (std::size_t cell : own) found.push_back(state.memory[cell]);
    const Token result = digest(step, state.at_begin[s], read, mix(0, found));
    state.at_begin[s] = 0;
    for (std::size_t i = 0; i < own.size(); ++i) state.memory[own[i]] = finished(result, i);
    return result == expected_.result(step);
  }

  const Graph& graph_;
  const Plan& plan_;
  Expected expected_;
  std::vector<Cells> cells_;
  std::size_t memory_size_ = 0;
  std::unordered_set<Token> seen_;
};

}  // namespace

Harm harm_of(const Graph& graph, const Plan& plan) { return LegalOrders(graph, plan).run(); }

namespace {

Plan two_streams(const Graph& graph, std::vector<StepRef> waits) {
  Plan plan;
  plan.streams.resize(2);
  plan.streams[0].resize(1);
  plan.streams[0][0].node = NodeId(0);
  plan.streams[1].resize(1);
  plan.streams[1][0].node = NodeId(1);
  plan.streams[1][0].waits = std::move(waits);
  plan.placements.resize(graph.value_limit());
  plan.placements[graph.find("a").at()].offset = 0;
  plan.arena_bytes = 64;
  return plan;
}

TEST(LegalOrders, FindAMissingWaitAndADeadlock) {
  const Graph graph = parse_graph("x: f32[4]\na: f32[4] = Mix(x)\ny: f32[4] = Mix(a)\n", {});
  EXPECT_EQ(harm_of(graph, two_streams(graph, {{StreamId(0), 0}})), Harm::None);
  EXPECT_EQ(harm_of(graph, two_streams(graph, {})), Harm::WrongResult);
  EXPECT_EQ(harm_of(graph, two_streams(graph, {{StreamId(1), 0}})), Harm::Deadlock);
}

}  // namespace
}  // namespace braid
