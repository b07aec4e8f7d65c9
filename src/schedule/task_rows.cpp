#include "schedule/task_rows.h"

#include "schedule/closure.h"

namespace braid {
namespace {

constexpr std::size_t kMostWeighted = 4'000;  // tasks, for the heaviest matching
constexpr std::size_t kMostJoined = 4'000;    // rows whose order is looked at pair by pair
constexpr std::size_t kMostClosed = 16'000;   // tasks of which each pair takes a bit

Matching match(const std::vector<std::vector<Task>>& edges, const EdgeWeight& weight) {
  if (!weight || edges.size() > kMostWeighted) return maximum_matching(edges, edges.size());
  std::vector<std::vector<double>> weights(edges.size());
  for (std::size_t u = 0; u < edges.size(); ++u)
    for (Task v : edges[u]) weights[u].push_back(weight(static_cast<Task>(u), v));
  return heaviest_maximum_matching(edges, weights, edges.size());
}

/// Follows the pairs from every vertex that is no pair's second.
template <class T>
std::vector<std::vector<T>> paths(const Matching& matching) {
  std::vector<bool> follows(matching.size(), false);
  for (std::int32_t v : matching)
    if (v >= 0) follows[static_cast<std::size_t>(v)] = true;
  std::vector<std::vector<T>> found;
  for (std::size_t u = 0; u < matching.size(); ++u) {
    if (follows[u]) continue;
    found.emplace_back();
    for (auto at = static_cast<std::int32_t>(u); at >= 0;
         at = matching[static_cast<std::size_t>(at)])
      found.back().push_back(static_cast<T>(at));
  }
  return found;
}

/// Rows one behind another if the last task of one comes before the first of the next.
std::vector<std::vector<std::size_t>> join(const TaskGraph& tasks,
                                           const std::vector<std::vector<Task>>& rows) {
  if (rows.size() > kMostJoined || tasks.size() > kMostClosed) {
    std::vector<std::vector<std::size_t>> apart;
    for (std::size_t i = 0; i < rows.size(); ++i) apart.push_back({i});
    return apart;
  }
  const Closure closure(tasks);
  BipartiteEdges edges(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (i != j && closure.reaches(rows[i].back(), rows[j].front()))
        edges[i].push_back(static_cast<std::int32_t>(j));
  return paths<std::size_t>(maximum_matching(edges, rows.size()));
}

}  // namespace

TaskRows task_rows(const TaskGraph& tasks, const EdgeWeight& weight) {
  const std::vector<std::vector<Task>> edges = transitive_reduction(tasks);
  const Matching matching = match(edges, weight);
  TaskRows result;
  result.rows = paths<Task>(matching);
  result.streams = join(tasks, result.rows);
  for (const auto& after : edges) result.syncs += after.size();
  result.syncs -= pairs(matching);
  return result;
}

std::vector<std::vector<Task>> stream_rows(const TaskRows& found) {
  std::vector<std::vector<Task>> rows;
  for (const auto& stream : found.streams) {
    rows.emplace_back();
    for (std::size_t row : stream)
      rows.back().insert(rows.back().end(), found.rows[row].begin(), found.rows[row].end());
  }
  return rows;
}

}  // namespace braid
