#include "beside.h"

#include <fmt/format.h>

namespace braid::opara_table {
namespace {

constexpr std::string_view kStreamsOnly = "opara:streams-only";

/// How the figures call a scheduler; empty: not at all.
std::string called(const std::string& scheduler) {
  if (scheduler == "sequential") return "CUDA Graph";
  if (scheduler == "wavefront") return "wavefront";
  if (scheduler == "nimble") return "Nimble";
  return scheduler == "opara:published" ? "Opara" : "";
}

std::optional<double> outside_value(const bench::Published& published, std::string_view what,
                                    const std::string& key) {
  for (const bench::OutsideRow& row : published.outside) {
    if (row.paper != "Opara" || row.what != what) continue;
    const auto found = row.values.find(key);
    if (found != row.values.end()) return found->second;
  }
  return std::nullopt;
}

/// Whether a published ratio is of this contest.
bool is_of(const bench::PublishedRow& row, const Contest& contest, std::string_view over) {
  return row.paper == "Opara" && row.network == contest.network.name &&
         row.batch == contest.batch && row.over == over &&
         contest.device.starts_with("sim:" + row.gpu);
}

}  // namespace

std::optional<double> launch_order_beside(const bench::Published& published,
                                          const Contest& contest) {
  for (const bench::PublishedRow& row : published.rows)
    if (is_of(row, contest, kStreamsOnly)) return row.published;
  return std::nullopt;
}

Beside beside(const bench::Published& published, const Contest& contest, const Entry& entry) {
  Beside result;
  for (const bench::PublishedRow& row : published.rows)
    if (is_of(row, contest, "sequential") && row.schedule == entry.contender.scheduler)
      result.ratio = row.published;
  if (contest.batch != 1) return result;
  const std::string key =
      fmt::format("{}, {}", contest.network.published, called(entry.contender.scheduler));
  result.memory_mb = outside_value(published, "peak memory, MB", key);
  result.allocation_ms = outside_value(published, "allocation of streams, ms", key);
  return result;
}

}  // namespace braid::opara_table
