#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "products.h"

namespace braid::kernels_bench {

struct ContestOptions {
  int rounds = 15;
  double seconds = 0;  ///< no new round of a group begins after its share of these; 0: no limit
  /// Told of the products that are done and how many there are.
  Progress progress = {};
};

struct WayTimes {
  std::string way;
  double best_us = 0;
  double median_us = 0;
  bool taken = false;  ///< by lowering
};

struct Results {
  std::vector<std::vector<WayTimes>> times;  ///< by product
  std::vector<double> moving_us;             ///< the best of moving(), by product; 0: there is none
  double peak_gflops = 0;                    ///< the most that registers gave between the turns
};

/// Times every way of every product on this thread. Ways take turns in shuffled rounds, up to
/// 48 of them or as many as fit into half a gibibyte; between rounds `between_bytes` of other
/// memory are read, so that weights come from where they come from in a run.
Results measure(const Products& products, const ContestOptions& options);

}  // namespace braid::kernels_bench
