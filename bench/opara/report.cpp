#include "report.h"

#include <set>

#include <fmt/format.h>

#include "beside.h"

namespace braid::opara_table {
namespace {

const Entry& baseline(const Contest& contest) { return contest.entries.front(); }

double ratio(const Contest& contest, const Entry& entry) {
  return baseline(contest).time.nominal_us / entry.time.nominal_us;
}

std::string or_dash(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

std::string ratio_text(const Contest& contest, const Entry& entry) {
  const Band band = ratio_band(baseline(contest).time, entry.time);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio(contest, entry), band.p10, band.p90);
}

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

const Entry* entry_of(const Contest& contest, std::string_view scheduler) {
  for (const Entry& entry : contest.entries)
    if (entry.contender.scheduler == scheduler) return &entry;
  return nullptr;
}

/// The effect of the launch order alone.
std::string launch_order(const Contest& contest, const bench::Published& published) {
  const Entry* before = entry_of(contest, "opara:streams-only");
  const Entry* after = entry_of(contest, "opara:published");
  if (before == nullptr || after == nullptr) return {};
  const Band band = ratio_band(before->time, after->time);
  return fmt::format(
      "\nLaunch order alone (streams only ÷ Opara): simulated {:.2f} [{:.2f}, {:.2f}], published "
      "{}.\n",
      before->time.nominal_us / after->time.nominal_us, band.p10, band.p90,
      or_dash(launch_order_beside(published, contest), "{:.2f}"));
}

std::string table(const Contest& contest, const bench::Published& published) {
  std::string text = fmt::format(
      "\n### {}, batch {}, {}\n\n{} operators as PyTorch runs them.\n\n"
      "| | simulated ms [p10, p90] | sequential ÷ it, simulated [p10, p90] | published | streams "
      "| waits | arena (with weights), MB | published peak, MB | planning, ms | published "
      "allocation, ms |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n",
      contest.network.title, contest.batch, contest.device, contest.nodes);
  for (const Entry& entry : contest.entries) {
    const Band band = entry.time.band_us();
    const Beside known = beside(published, contest, entry);
    text += fmt::format(
        "| {} | {:.3f} [{:.3f}, {:.3f}] | {} | {} | {} | {} | {:.1f} ({:.0f}) | {} | {:.2f} | {} "
        "|\n",
        entry.contender.title, entry.time.nominal_us / 1e3, band.p10 / 1e3, band.p90 / 1e3,
        ratio_text(contest, entry), or_dash(known.ratio, "{:.2f}"), entry.streams, entry.waits,
        megabytes(entry.arena_bytes), megabytes(entry.arena_bytes + contest.weight_bytes),
        or_dash(known.memory_mb, "{:.0f}"), entry.planning_ms,
        or_dash(known.allocation_ms, "{:.2f}"));
  }
  return text + launch_order(contest, published);
}

/// How the ratios change with the batch, a line per network and scheduler.
std::string batches(const std::vector<Contest>& contests) {
  std::set<std::int64_t> sizes;
  for (const Contest& contest : contests) sizes.insert(contest.batch);
  if (sizes.size() < 2) return {};
  std::string text = "\n### Sequential ÷ it by batch, simulated\n\n| |";
  std::string rule = "\n|---|";
  for (std::int64_t size : sizes) {
    text += fmt::format(" {} |", size);
    rule += "---|";
  }
  text += rule + "\n";
  for (const Network& network : networks())
    for (std::size_t i = 1; i < contenders().size(); ++i) {
      std::string line;
      for (std::int64_t size : sizes)
        for (const Contest& contest : contests)
          if (contest.network.name == network.name && contest.batch == size)
            line += fmt::format(" {:.2f} |", ratio(contest, contest.entries[i]));
      if (!line.empty())
        text += fmt::format("| {}: {} |{}\n", network.title, contenders()[i].title, line);
    }
  return text;
}

}  // namespace

std::string markdown(const std::vector<Contest>& contests, const bench::Published& published) {
  std::string text =
      "## Opara's table again, simulated\n\nEvery figure is simulated but those under "
      "\"published\" (journal version of the paper), \"planning\" (processor time here, in C++; "
      "the published allocation is of streams only, in Python) and \"arena\" (what the Plan asks "
      "for; the published peak is that of PyTorch's allocator, weights included).\n";
  for (const Contest& contest : contests) text += table(contest, published);
  return text + batches(contests);
}

nlohmann::ordered_json json_of(const Contest& contest, const bench::Published& published) {
  nlohmann::ordered_json json = {{"network", contest.network.name},
                                 {"batch", contest.batch},
                                 {"device", contest.device},
                                 {"simulated", true},
                                 {"nodes", contest.nodes},
                                 {"weight_bytes", contest.weight_bytes},
                                 {"entries", nlohmann::ordered_json::array()}};
  for (const Entry& entry : contest.entries) {
    const Band band = entry.time.band_us();
    const Band over = ratio_band(baseline(contest).time, entry.time);
    nlohmann::ordered_json row = {
        {"scheduler", entry.contender.scheduler},
        {"nominal_ms", entry.time.nominal_us / 1e3},
        {"p10_ms", band.p10 / 1e3},
        {"median_ms", band.median / 1e3},
        {"p90_ms", band.p90 / 1e3},
        {"sequential_over_it",
         {{"nominal", ratio(contest, entry)}, {"p10", over.p10}, {"p90", over.p90}}},
        {"streams", entry.streams},
        {"waits", entry.waits},
        {"arena_bytes", entry.arena_bytes},
        {"planning_ms", entry.planning_ms}};
    const Beside known = beside(published, contest, entry);
    if (known.ratio) row["published"]["sequential_over_it"] = *known.ratio;
    if (known.memory_mb) row["published"]["peak_memory_mb"] = *known.memory_mb;
    if (known.allocation_ms) row["published"]["allocation_ms"] = *known.allocation_ms;
    json["entries"].push_back(std::move(row));
  }
  return json;
}

}  // namespace braid::opara_table
