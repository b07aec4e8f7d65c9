#include "plan/shuffle.h"

#include <random>

#include "base/checked.h"
#include "plan/byte_map.h"
#include "plan/happens_before.h"
#include "plan/region.h"

namespace braid {
namespace {

using Number = std::uint32_t;  // of a step: its position in HappensBefore::order()

/// Finds which steps must stay in order because they use the same bytes and one of them writes.
/// Steps enter in an order in which they may run. Bytes between those of a strided value count as
/// used: that orders more than is needed, never less.
class ByteOrder {
 public:
  ByteOrder(const Graph& graph, const Plan& plan, std::size_t steps)
      : graph_(graph), placements_(plan.placements), after_(steps) {
    // Values outside the arena get bytes of their own behind it.
    std::int64_t end = plan.arena_bytes;
    for (ValueId id : graph.value_ids()) {
      if (lives_in_arena(graph, id)) continue;
      placements_[id.at()] = {end, {}};
      end = checked_add(end, byte_size(graph.value(id).type));
    }
  }

  void enter(Number number, const Step& step) {
    const Node& node = graph_.node(step.node);
    if (is_view(node)) return;
    for (ValueId input : node.inputs)
      if (input.valid() && !graph_.is_constant(input))
        read(number, hull(region_of(graph_.value(input), placements_[input.at()])));
    for (ValueId output : node.outputs)
      if (output.valid())
        write(number, step.node,
              hull(written_region(graph_.value(output), placements_[output.at()], step)));
    if (step.scratch_offset >= 0)
      write(number, {}, {step.scratch_offset, step.scratch_offset + node.lowering.scratch_bytes});
  }

  /// For every step, those that must come after it; some more than once.
  const std::vector<std::vector<Number>>& after() const { return after_; }

 private:
  /// The steps that used some bytes last.
  struct Cell {
    NodeId node = {};                  // that wrote them
    std::vector<Number> writers = {};  // its parts
    std::vector<Number> readers = {};
    std::vector<Number> former = {};  // those that used them before that node wrote
  };

  void read(Number reader, ByteRange bytes) {
    cells_.for_each(bytes, [&](Cell& cell) {
      for (Number writer : cell.writers) add(writer, reader);
      cell.readers.push_back(reader);
    });
  }

  void write(Number writer, NodeId node, ByteRange bytes) {
    cells_.for_each(bytes, [&](Cell& cell) {
      // The parts of a node do not disturb one another.
      if (!node.valid() || cell.node != node) {
        cell.former = std::move(cell.readers);
        cell.former.insert(cell.former.end(), cell.writers.begin(), cell.writers.end());
        cell.readers.clear();
        cell.writers.clear();
        cell.node = node;
      }
      for (Number user : cell.former) add(user, writer);
      cell.writers.push_back(writer);
    });
  }

  void add(Number before, Number step) {
    if (before != step) after_[before].push_back(step);
  }

  const Graph& graph_;
  std::vector<Placement> placements_;
  std::vector<std::vector<Number>> after_;
  ByteMap<Cell> cells_;
};

/// An order of the numbers in which each comes before those `after` it, drawn at random.
std::vector<Number> random_order(const std::vector<std::vector<Number>>& after,
                                 std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::size_t> missing(after.size());
  for (const auto& steps : after)
    for (Number step : steps) ++missing[step];
  std::vector<Number> ready;
  for (Number step = 0; step < after.size(); ++step)
    if (missing[step] == 0) ready.push_back(step);
  std::vector<Number> order;
  while (!ready.empty()) {
    std::swap(ready[engine() % ready.size()], ready.back());
    order.push_back(ready.back());
    ready.pop_back();
    for (Number step : after[order.back()])
      if (--missing[step] == 0) ready.push_back(step);
  }
  return order;
}

}  // namespace

Plan shuffled(const Graph& graph, const Plan& plan, std::uint64_t seed) {
  const HappensBefore happens(graph, plan);
  const std::vector<StepRef>& old = happens.order();
  ByteOrder conflicts(graph, plan, old.size());
  for (Number n = 0; n < old.size(); ++n) conflicts.enter(n, step_at(plan, old[n]));

  Plan result = plan;
  for (auto& stream : result.streams) stream.clear();
  std::vector<StepRef> placed(old.size());
  for (Number n : random_order(conflicts.after(), seed)) {
    auto& stream = result.streams[old[n].stream.at()];
    placed[n] = {old[n].stream, static_cast<std::int32_t>(stream.size())};
    stream.push_back(step_at(plan, old[n]));
    stream.back().waits.clear();
  }
  for (Number n = 0; n < old.size(); ++n)
    for (Number later : conflicts.after()[n])
      if (placed[n].stream != placed[later].stream)
        result.streams[placed[later].stream.at()][static_cast<std::size_t>(placed[later].index)]
            .waits.push_back(placed[n]);
  reduce_waits(graph, result);
  return result;
}

}  // namespace braid
