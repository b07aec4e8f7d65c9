#include "plan/tenancy.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/byte_map.h"
#include "plan/region.h"

namespace braid {
namespace {

constexpr int kMostComparisons = 1 << 24;

struct Tenancy {
  Region region;  // canonical
  ByteRange bytes;
  StepRef writer;
  ValueId value;              // none: scratch
  std::int32_t settled = -1;  // HappensBefore::settled() of its users, once asked
};

using Index = std::uint32_t;

class Occupancy {
 public:
  Occupancy(const Graph& graph, const Plan& plan, const HappensBefore& order,
            const Accesses& accesses)
      : graph_(graph), plan_(plan), order_(order), accesses_(accesses) {}

  void enter(StepRef ref) {
    const Step& step = step_at(plan_, ref);
    const Node& node = graph_.node(step.node);
    if (is_view(node)) return;
    for (ValueId output : node.outputs) {
      if (!output.valid() || !lives_in_arena(graph_, output)) continue;
      Region region = written_region(graph_.value(output), plan_.placements[output.at()], step);
      enter(canonical(std::move(region)), ref, output);
    }
    if (step.scratch_offset >= 0)
      enter({step.scratch_offset, node.lowering.scratch_bytes, {}}, ref, ValueId());
  }

 private:
  /// The tenants that had some bytes last; several if their bytes lie between one another's.
  using Tenants = std::vector<Index>;

  void enter(Region region, StepRef writer, ValueId value) {
    const ByteRange bytes = hull(region);
    if (bytes.size() == 0 || region.element_bytes == 0) return;
    const auto newcomer = static_cast<Index>(tenancies_.size());
    tenancies_.push_back({std::move(region), bytes, writer, value});
    cells_.for_each_known(bytes, [&](const Tenants& tenants) {
      for (Index tenant : tenants) check(tenant, newcomer);
    });
    if (tenancies_[newcomer].region.dims.empty())
      cells_.assign(bytes, {newcomer});
    else
      move_in_between(bytes, newcomer);
  }

  /// Adds a newcomer with gaps to every cell of its hull; only those that can still matter stay.
  void move_in_between(ByteRange bytes, Index newcomer) {
    cells_.for_each(bytes, [&](Tenants& tenants) {
      std::erase_if(tenants, [&](Index tenant) { return gone(tenant, newcomer); });
      tenants.push_back(newcomer);
    });
  }

  /// True if no step from the newcomer on can disturb the tenant.
  bool gone(Index tenant, Index newcomer) {
    Tenancy& t = tenancies_[tenant];
    if (t.region == tenancies_[newcomer].region) return true;
    if (t.settled < 0) t.settled = order_.settled(users(t));
    return t.settled <= order_.position(tenancies_[newcomer].writer);
  }

  Frontier users(const Tenancy& t) const {
    return t.value.valid() ? accesses_.users(t.value) : Frontier{t.writer};
  }

  void check(Index tenant, Index newcomer) {
    const Tenancy& old = tenancies_[tenant];
    const Tenancy& young = tenancies_[newcomer];
    const bool fine = old.value.valid() ? order_.before(accesses_.users(old.value), young.writer)
                                        : order_.before(old.writer, young.writer);
    if (fine) return;
    if (++comparisons_ > kMostComparisons)
      raise(ErrorKind::Quota, "too many values of the Plan lie between one another to be checked");
    if (overlap(old.region, young.region)) refuse(old, young);
  }

  std::string what(const Tenancy& t) const {
    return t.value.valid() ? "value " + quote(graph_.value(t.value).name) : "scratch";
  }

  [[noreturn]] void refuse(const Tenancy& old, const Tenancy& young) const {
    const std::int64_t begin = std::max(old.bytes.begin, young.bytes.begin);
    const std::int64_t end = std::min(old.bytes.end, young.bytes.end);
    const std::string writes =
        fmt::format("{} writes {} to bytes [{}, {}) of the arena",
                    describe(graph_, plan_, young.writer), what(young), begin, end);
    for (StepRef user : users(old)) {
      if (order_.before(user, young.writer)) continue;
      if (user == young.writer)
        raise(ErrorKind::Model,
              fmt::format("{}, where it still uses {}: place one of them elsewhere", writes,
                          what(old)));
      raise(ErrorKind::Model,
            fmt::format(
                "{}, where {} may still use {}: it must wait for streams[{}][{}], or one of "
                "them be placed elsewhere",
                writes, describe(graph_, plan_, user), what(old), user.stream.index, user.index));
    }
    raise(ErrorKind::Internal, "a tenant that nobody keeps was said to stay");
  }

  const Graph& graph_;
  const Plan& plan_;
  const HappensBefore& order_;
  const Accesses& accesses_;
  std::vector<Tenancy> tenancies_;
  ByteMap<Tenants> cells_;
  int comparisons_ = 0;
};

}  // namespace

void check_tenancies(const Graph& graph, const Plan& plan, const HappensBefore& order,
                     const Accesses& accesses) {
  Occupancy occupancy(graph, plan, order, accesses);
  for (StepRef ref : order.order()) occupancy.enter(ref);
}

}  // namespace braid
