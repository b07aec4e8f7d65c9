#include "report/chart_memory.h"

#include <algorithm>
#include <numeric>

#include "plan/accesses.h"
#include "plan/region.h"

namespace braid {
namespace {

/// Values that views join share a representative.
class Joined {
 public:
  Joined(std::size_t values, const std::vector<ViewLink>& links) : parent_(values) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const ViewLink& link : links) {
      const std::size_t a = of(link.whole.at());
      const std::size_t b = of(link.piece.at());
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }
  std::size_t of(std::size_t value) {
    while (parent_[value] != value) value = parent_[value] = parent_[parent_[value]];
    return value;
  }

 private:
  std::vector<std::size_t> parent_;
};

struct Buffer {
  ByteRange bytes = {-1, -1};
  Extent when = {-1, -1, 0};
};

const Extent& time_of(const StepTimes& times, StepRef step) {
  return times[step.stream.at()][static_cast<std::size_t>(step.index)];
}

void add(Buffer& buffer, ByteRange bytes) {
  const bool first = buffer.bytes.begin < 0;
  buffer.bytes.begin = first ? bytes.begin : std::min(buffer.bytes.begin, bytes.begin);
  buffer.bytes.end = std::max(buffer.bytes.end, bytes.end);
}

}  // namespace

std::vector<Extent> arena_use(const Graph& lowered, const Plan& plan, const StepTimes& times) {
  const Accesses accesses(lowered, plan);
  Joined joined(lowered.value_limit(), accesses.links());
  std::vector<Buffer> buffers(lowered.value_limit());
  for (ValueId value : lowered.value_ids()) {
    if (!lives_in_arena(lowered, value)) continue;
    Buffer& buffer = buffers[joined.of(value.at())];
    add(buffer, hull(region_of(lowered.value(value), plan.placements[value.at()])));
    for (StepRef user : accesses.users(value))
      buffer.when.end_us = std::max(buffer.when.end_us, time_of(times, user).end_us);
    const NodeId producer = lowered.value(value).producer;
    if (is_view(lowered.node(producer))) continue;
    for (StepRef step : accesses.steps(producer)) {
      const double begin = time_of(times, step).begin_us;
      if (buffer.when.begin_us < 0 || begin < buffer.when.begin_us) buffer.when.begin_us = begin;
    }
  }
  std::vector<Extent> use;
  for (const Buffer& buffer : buffers)
    if (buffer.when.begin_us >= 0)
      use.push_back(
          {buffer.when.begin_us, buffer.when.end_us, static_cast<double>(buffer.bytes.size())});
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream)
    for (std::size_t i = 0; i < plan.streams[stream].size(); ++i) {
      const auto scratch = lowered.node(plan.streams[stream][i].node).lowering.scratch_bytes;
      if (scratch > 0)
        use.push_back(
            {times[stream][i].begin_us, times[stream][i].end_us, static_cast<double>(scratch)});
    }
  return use;
}

}  // namespace braid
