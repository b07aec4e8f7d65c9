#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/subject.h"
#include "sim/interference.h"

namespace braid {

/// Why two operators do not run side by side, or that they do.
enum class Reason {
  Overlap,       ///< they do
  Dependency,    ///< one needs what the other makes, directly or not
  Edit,          ///< a person asked for it
  Memory,        ///< one writes where the other's bytes were
  Barrier,       ///< the scheduler's stages keep them apart
  Timing,        ///< the inputs of one are not there before the other has ended
  Bandwidth,     ///< together they want more than the memory gives
  Compute,       ///< together they want more than the device's arithmetic
  Blocks,        ///< the GPU has no room: its SMs hold no more blocks
  Threads,       ///< … no more threads
  Registers,     ///< … no more registers
  SharedMemory,  ///< … no more shared memory
  Bound,         ///< the Plan is as fast as the greatest lower bound lets any be
  Sync,          ///< a synchronisation costs more than it would gain
  StreamsBusy,   ///< all other streams had work meanwhile
  Scheduler      ///< nothing but the scheduler's choice
};
inline constexpr std::size_t kReasons = 16;
std::string_view name(Reason reason);

struct Pair {
  NodeId a;  ///< begins first
  NodeId b;
  Reason reason = Reason::Scheduler;
  double overlap_us = 0;  ///< in which both ran
  /// What side by side would save at most, if nothing forbids it: never more than headroom_us().
  double gain_us = 0;
  std::vector<NodeId> path = {};  ///< of a dependency: from one to the other
  std::string text;               ///< a sentence
  /// What they do to each other, or would, on a simulated GPU; see side_by_side().
  std::optional<sim::Interference> side_by_side = {};
};

/// Answers for pairs of nodes of a Plan.
class Pairs {
 public:
  explicit Pairs(const Subject& subject);
  ~Pairs();

  /// Two different nodes, neither a view.
  Pair explain(NodeId a, NodeId b) const;

  /// What was found among the costliest operators.
  struct Survey {
    std::size_t operators = 0;                   ///< that were looked at
    std::array<std::size_t, kReasons> counts{};  ///< of pairs, by reason
    std::vector<Pair> pairs;  ///< that do not overlap and might save more than a wait costs, those
                              ///< that would save most, were there no others, first
    std::vector<Pair> overlapping;  ///< that run side by side for longest
  };
  /// Looks at all pairs of the `operators` that take longest and keeps `most` of them.
  Survey survey(std::size_t operators, std::size_t most) const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace braid
