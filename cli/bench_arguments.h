#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/contenders.h"
#include "cli/json_output.h"
#include "cli/option_set.h"
#include "cli/peer.h"

namespace braid::cli {

/// The contender that stands for Braid beside other runtimes, and the scheduler that it then takes.
inline constexpr const char* kBraid = "braid";

struct BenchArguments : ContenderOptions {
  PeerOptions peers;
  JsonOutput json;
  int iterations = 0;
  double duration = 0;
  int warm_up = 3;
  std::vector<int> threads;
  std::vector<int> concurrency;
  std::vector<double> rates;
  std::optional<std::uint64_t> arrival_seed;
  bool quiet = false;
};

void add_bench_options(OptionSet& add, BenchArguments& options);

/// Refuses what contradicts itself or would change nothing, and settles what was left open: which
/// schedulers are measured and, beside other runtimes, on which cores all of them run.
void settle(BenchArguments& options);

}  // namespace braid::cli
