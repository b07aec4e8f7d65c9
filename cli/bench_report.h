#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/samples.h"
#include "choose/settlement.h"
#include "cli/inexact_ways.h"
#include "cli/output_differences.h"
#include "cli/peer_failure.h"
#include "cli/reference_report.h"
#include "cost/simulated_time.h"
#include "measure/open_loop.h"
#include "optimise/moves.h"

namespace braid::cli {

/// What is told of another runtime only.
struct PeerRow {
  std::string version;
  PairDifference outputs = {};  ///< beside Braid's
};

/// What was measured of one contender on one model.
struct BenchRow {
  std::string model;
  std::string contender;              ///< a scheduler, or a peer
  std::string optimise = "none";      ///< where its graph comes from (cli/optimise_modes.h)
  std::vector<RuleCount> rules = {};  ///< by which that was rewritten
  std::optional<PeerRow> peer = {};   ///< of a peer
  int threads = 0;                    ///< CPU cores
  int streams_limit = 0;              ///< that a Plan may use; 0: what the device has
  int callers = 1;
  double rate_per_s = 0;         ///< of requests that do not wait for one another; 0: none
  std::vector<double> times_ms;  ///< of single inferences; simulated: of the ensemble's draws
  std::optional<double> nominal_ms = {};  ///< simulated: of the unperturbed model
  std::int64_t arena_bytes = 0;
  std::int64_t streams = 0;
  std::string kept = {};                      ///< why this Plan, if others were tried
  std::optional<Settlement> settlement = {};  ///< by which contests, if by any
  RatioInterval ratio;  ///< the model's first row ÷ this one: above 1 this one is faster
  std::optional<double> inferences_per_s;  ///< of all callers together
  std::optional<LoadTotals> load = {};     ///< of requests that came at a rate
  std::optional<Verdict> verdict;  ///< of this one against the model's first row, which has none
};

/// Contenders whose answers to a model differ.
struct ModelDifferences {
  std::string model;
  std::vector<PairDifference> pairs;  ///< all, also those that agree
};

/// How the rows were measured, and what else was found.
struct BenchSetting {
  std::string device;
  std::vector<int> threads = {};
  std::vector<int> concurrency = {};
  std::vector<double> rates = {};
  std::uint64_t arrival_seed = 0;
  std::int64_t batch = 0;
  std::optional<std::uint64_t> seed = {};  ///< of random inputs, if there were any
  double optimise_seconds = 0;             ///< of each search for a graph
  bool simulated = false;
  bool stopped = false;  ///< by the user, before all was measured
  bool against_peers = false;
  bool long_turns = false;                               ///< a turn is many inferences
  std::map<std::string, InexactWays> inexact_ways = {};  ///< by model
  std::map<std::string, ReferenceShare> reference = {};  ///< likewise
  std::vector<std::string> searches = {};                ///< what became of graphs, a sentence each
  std::vector<PeerFailure> failures = {};                ///< peers that were not measured
  std::vector<ModelDifferences> differences = {};        ///< by model
};

std::string bench_json(const std::vector<BenchRow>& rows, const BenchSetting& setting);
std::string bench_table(const std::vector<BenchRow>& rows, const BenchSetting& setting);

/// Why each Plan was kept, a line per contender; empty if there is nothing to tell.
std::string kept_table(const std::vector<BenchRow>& rows);
/// A sentence about each row whose requests came faster than they were answered.
std::string overload_sentences(const std::vector<BenchRow>& rows);
/// What a "-" among the percentiles means; empty if there is none.
std::string unresolved_sentence(const std::vector<BenchRow>& rows);

/// A sentence about Braid and each peer: who is faster, by how much.
std::string peer_verdicts(const std::vector<BenchRow>& rows);

}  // namespace braid::cli
