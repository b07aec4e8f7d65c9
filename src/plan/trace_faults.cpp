#include "plan/trace_faults.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "plan/region.h"

namespace braid {
namespace {

/// What times may be off by: those of simulations are rounded sums.
constexpr double kRounding_us = 1e-6;

/// Bytes that a step writes, and for which value; none: its scratch.
struct Written {
  ValueId value;
  bool in_arena = false;
  Region bytes;  // canonical
};

struct Happened {
  const Step* step = nullptr;
  StepRef ref;
  double begin_us = std::numeric_limits<double>::infinity();
  double end_us = -std::numeric_limits<double>::infinity();
  std::vector<Written> writes = {};

  bool was_seen() const { return begin_us <= end_us; }
};

class Witness {
 public:
  Witness(const Graph& graph, const Plan& plan)
      : graph_(graph), plan_(plan), sources_(graph.value_limit()), is_known_(graph.value_limit()) {
    for (std::size_t s = 0; s < plan.streams.size(); ++s)
      for (std::size_t i = 0; i < plan.streams[s].size(); ++i) {
        const Step& step = plan.streams[s][i];
        if (is_view(graph.node(step.node))) continue;
        by_part_[{step.node.index, step.part}].push_back(steps_.size());
        steps_.push_back(
            {.step = &step,
             .ref = {StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)}});
        add_writes(steps_.back());
      }
    for (std::size_t i = 0; i < steps_.size(); ++i)
      writers_[steps_[i].step->node.index].push_back(i);
  }

  void add(const TraceEvent& event) {
    if (event.is_wait()) return;
    const auto found = by_part_.find({event.node, event.part});
    if (found == by_part_.end()) {
      tell(fmt::format("{} ran, which is no step of the Plan", quote(event.name)));
      return;
    }
    for (const std::size_t i : found->second) {
      steps_[i].begin_us = std::min(steps_[i].begin_us, event.begin_us);
      steps_[i].end_us = std::max(steps_[i].end_us, event.end_us);
    }
  }

  void add(const Timeline& timeline) {
    for (Happened& step : steps_) {
      step.begin_us = timeline.at(step.ref).begin_us;
      step.end_us = timeline.at(step.ref).end_us;
    }
  }

  std::vector<std::string> faults() {
    for (const Happened& step : steps_) {
      if (!step.was_seen()) {
        tell(fmt::format("{} never ran", name(step)));
        continue;
      }
      check_own_bytes(step);
      for (const ValueId input : graph_.node(step.step->node).inputs)
        if (input.valid()) check_read(step, input);
    }
    return std::move(faults_);
  }

 private:
  void tell(std::string fault) { faults_.push_back(std::move(fault)); }
  std::string name(const Happened& step) const { return describe(graph_, plan_, step.ref); }

  void add_writes(Happened& happened) const {
    const Step& step = *happened.step;
    const Node& node = graph_.node(step.node);
    for (const ValueId id : node.outputs) {
      if (!id.valid()) continue;
      Written written{id, lives_in_arena(graph_, id), {}};
      if (written.in_arena)
        written.bytes =
            canonical(written_region(graph_.value(id), plan_.placements[id.at()], step));
      happened.writes.push_back(std::move(written));
    }
    if (const std::int64_t bytes = node.lowering.scratch_bytes; bytes > 0)
      happened.writes.push_back({{}, true, canonical({step.scratch_offset, 1, {{bytes, 1}}})});
  }

  Region bytes_of(ValueId id) const {
    return canonical(region_of(graph_.value(id), plan_.placements[id.at()]));
  }

  /// The values that steps write and whose bytes are bytes of this one: itself, or, if it is made
  /// by a view, those of its inputs that lie where it lies.
  const std::vector<ValueId>& sources(ValueId id) {
    std::vector<ValueId>& found = sources_[id.at()];
    if (is_known_[id.at()]) return found;
    is_known_[id.at()] = true;
    const NodeId producer = graph_.value(id).producer;
    if (!producer.valid()) return found;
    if (!is_view(graph_.node(producer))) {
      found = {id};
      return found;
    }
    const Region bytes = bytes_of(id);
    for (const ValueId input : graph_.node(producer).inputs) {
      if (!input.valid()) continue;
      for (const ValueId source : sources(input))
        if (overlap(bytes_of(source), bytes)) found.push_back(source);
    }
    return found;
  }

  /// Checks that no other step writes what a step writes while it runs.
  void check_own_bytes(const Happened& step) {
    for (const Written& own : step.writes)
      if (own.in_arena) check_untouched(own.bytes, step, {step.begin_us, step.end_us}, {});
  }

  void check_read(const Happened& reader, ValueId input) {
    const std::vector<ValueId>& values = sources(input);
    if (values.empty()) return;
    const bool in_arena = lives_in_arena(graph_, input);
    const Region bytes = in_arena ? bytes_of(input) : Region{};
    double first_us = reader.begin_us;
    for (const ValueId source : values)
      for (const std::size_t i : writers_[graph_.value(source).producer.index]) {
        const Happened& writer = steps_[i];
        if (!writer.was_seen() || !writes_some(writer, source, in_arena, bytes)) continue;
        first_us = std::min(first_us, writer.begin_us);
        if (writer.end_us > reader.begin_us + kRounding_us)
          tell(
              fmt::format("{} began to read value {} at {:.3f} us, before {} had written it at "
                          "{:.3f} us",
                          name(reader), quote(graph_.value(input).name), reader.begin_us,
                          name(writer), writer.end_us));
      }
    if (in_arena) check_untouched(bytes, reader, {first_us, reader.end_us}, values);
  }

  static bool writes_some(const Happened& writer, ValueId value, bool in_arena,
                          const Region& bytes) {
    return std::ranges::any_of(writer.writes, [&](const Written& written) {
      return written.value == value && (!in_arena || overlap(written.bytes, bytes));
    });
  }

  struct Interval {
    double begin_us;
    double end_us;
  };

  /// Checks that only `user` and steps that write one of `allowed` write the bytes in that time.
  void check_untouched(const Region& bytes, const Happened& user, Interval time,
                       const std::vector<ValueId>& allowed) {
    for (const Happened& other : steps_) {
      if (&other == &user || !other.was_seen() || other.end_us <= time.begin_us + kRounding_us ||
          other.begin_us >= time.end_us - kRounding_us)
        continue;
      for (const Written& written : other.writes)
        if (written.in_arena && std::ranges::find(allowed, written.value) == allowed.end() &&
            overlap(written.bytes, bytes))
          tell(fmt::format("{} wrote {} over bytes that {} was using", name(other),
                           written.value.valid()
                               ? "value " + quote(graph_.value(written.value).name)
                               : "its scratch",
                           name(user)));
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<Happened> steps_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> by_part_;
  std::map<std::int32_t, std::vector<std::size_t>> writers_;  // by the node's index
  std::vector<std::vector<ValueId>> sources_;
  std::vector<bool> is_known_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> trace_faults(const Graph& lowered, const Plan& plan, const Trace& trace) {
  Witness witness(lowered, plan);
  for (const TraceEvent& event : trace.events) witness.add(event);
  return witness.faults();
}

std::vector<std::string> trace_faults(const Graph& lowered, const Plan& plan,
                                      const Timeline& timeline) {
  Witness witness(lowered, plan);
  witness.add(timeline);
  return witness.faults();
}

}  // namespace braid
