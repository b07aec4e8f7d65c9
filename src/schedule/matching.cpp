#include "schedule/matching.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace braid {
namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class HopcroftKarp {
 public:
  HopcroftKarp(const BipartiteEdges& edges, std::size_t right_count)
      : edges_(edges), left_(edges.size(), kNone), right_(right_count, kNone) {}

  Matching run() {
    while (layer()) {
      next_.assign(edges_.size(), 0);
      for (std::size_t u = 0; u < edges_.size(); ++u)
        if (left_[u] == kNone) augment(static_cast<std::int32_t>(u));
    }
    return std::move(left_);
  }

 private:
  /// The distance of left vertices from the free ones; whether a free right one can be reached.
  bool layer() {
    distance_.assign(edges_.size(), kFar);
    std::vector<std::int32_t> queue;
    for (std::size_t u = 0; u < edges_.size(); ++u)
      if (left_[u] == kNone) {
        distance_[u] = 0;
        queue.push_back(static_cast<std::int32_t>(u));
      }
    bool found = false;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (std::int32_t v : edges_[at(queue[head])]) {
        const std::int32_t mate = right_[at(v)];
        if (mate == kNone) {
          found = true;
        } else if (distance_[at(mate)] == kFar) {
          distance_[at(mate)] = distance_[at(queue[head])] + 1;
          queue.push_back(mate);
        }
      }
    return found;
  }

  /// A path of increasing distance to a free right vertex, without recursion: graphs are deep.
  void augment(std::int32_t start) {
    std::vector<std::int32_t> path = {start};  // of left vertices
    while (!path.empty()) {
      const std::int32_t u = path.back();
      std::size_t& next = next_[at(u)];
      if (next == edges_[at(u)].size()) {
        distance_[at(u)] = kFar;
        path.pop_back();
        if (!path.empty()) ++next_[at(path.back())];
        continue;
      }
      const std::int32_t mate = right_[at(edges_[at(u)][next])];
      if (mate == kNone) {
        for (std::int32_t left : path) {
          left_[at(left)] = edges_[at(left)][next_[at(left)]];
          right_[at(left_[at(left)])] = left;
        }
        return;
      }
      if (distance_[at(mate)] == distance_[at(u)] + 1)
        path.push_back(mate);
      else
        ++next;
    }
  }

  const BipartiteEdges& edges_;
  Matching left_;
  std::vector<std::int32_t> right_;
  std::vector<std::int32_t> distance_;
  std::vector<std::size_t> next_;
};

/// Cheapest augmenting paths with potentials (a pair costs -weight): each path adds one pair, and
/// the pairs so far are the heaviest of their number.
class Heaviest {
 public:
  Heaviest(const BipartiteEdges& edges, const std::vector<std::vector<double>>& weights,
           std::size_t right_count)
      : edges_(edges),
        weights_(weights),
        left_(edges.size(), kNone),
        right_(right_count, kNone),
        left_potential_(edges.size(), 0),
        right_potential_(right_count, 0) {
    for (std::size_t u = 0; u < edges_.size(); ++u)
      for (std::size_t e = 0; e < edges_[u].size(); ++e) {
        double& potential = right_potential_[at(edges_[u][e])];
        potential = std::min(potential, -weights_[u][e]);
      }
  }

  Matching run() {
    while (augment()) {
    }
    return std::move(left_);
  }

 private:
  static constexpr double kUnreached = std::numeric_limits<double>::infinity();
  using Entry = std::pair<double, std::int32_t>;
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  void relax(std::size_t u, Queue& queue) {
    for (std::size_t e = 0; e < edges_[u].size(); ++e) {
      const std::int32_t v = edges_[u][e];
      const double cost = -weights_[u][e] + left_potential_[u] - right_potential_[at(v)];
      const double through = left_distance_[u] + std::max(0.0, cost);  // below only by rounding
      if (through >= right_distance_[at(v)]) continue;
      right_distance_[at(v)] = through;
      from_[at(v)] = static_cast<std::int32_t>(u);
      queue.push({through, v});
    }
  }

  /// Dijkstra from all free left vertices. Returns the free right one that is cheapest to reach.
  std::int32_t search() {
    left_distance_.assign(left_.size(), kUnreached);
    right_distance_.assign(right_.size(), kUnreached);
    from_.assign(right_.size(), kNone);
    Queue queue;
    for (std::size_t u = 0; u < left_.size(); ++u)
      if (left_[u] == kNone) {
        left_distance_[u] = 0;
        relax(u, queue);
      }
    std::int32_t best = kNone;
    while (!queue.empty()) {
      const auto [distance, v] = queue.top();
      queue.pop();
      if (distance > right_distance_[at(v)]) continue;
      const std::int32_t mate = right_[at(v)];
      if (mate != kNone) {
        left_distance_[at(mate)] = distance;
        relax(at(mate), queue);
      } else if (best == kNone || distance + right_potential_[at(v)] <
                                      right_distance_[at(best)] + right_potential_[at(best)]) {
        best = v;
      }
    }
    return best;
  }

  bool augment() {
    std::int32_t v = search();
    if (v == kNone) return false;
    const auto settle = [](std::vector<double>& potential, const std::vector<double>& distance) {
      for (std::size_t i = 0; i < potential.size(); ++i)
        if (distance[i] < kUnreached) potential[i] += distance[i];
    };
    settle(left_potential_, left_distance_);
    settle(right_potential_, right_distance_);
    while (v != kNone) {
      const std::int32_t u = from_[at(v)];
      right_[at(v)] = u;
      std::swap(left_[at(u)], v);
    }
    return true;
  }

  const BipartiteEdges& edges_;
  const std::vector<std::vector<double>>& weights_;
  Matching left_;
  std::vector<std::int32_t> right_;
  std::vector<double> left_potential_;
  std::vector<double> right_potential_;
  std::vector<double> left_distance_;
  std::vector<double> right_distance_;
  std::vector<std::int32_t> from_;
};

}  // namespace

Matching maximum_matching(const BipartiteEdges& edges, std::size_t right_count) {
  return HopcroftKarp(edges, right_count).run();
}

Matching heaviest_maximum_matching(const BipartiteEdges& edges,
                                   const std::vector<std::vector<double>>& weights,
                                   std::size_t right_count) {
  return Heaviest(edges, weights, right_count).run();
}

std::size_t pairs(const Matching& matching) {
  return static_cast<std::size_t>(
      std::count_if(matching.begin(), matching.end(), [](std::int32_t v) { return v != kNone; }));
}

}  // namespace braid
