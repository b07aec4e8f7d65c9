#pragma once

#include <string>
#include <vector>

#include "shared/published.h"
#include "simulate.h"

namespace braid::gpu_model {

/// Errors over some of the rows.
struct ErrorGroup {
  std::string name;
  std::size_t rows = 0;
  double mean_error = 0;   ///< of absolute values, a share of the published figure
  double worst_error = 0;  ///< in absolute value
  double inside_band = 0;  ///< the share of rows whose published figure lies between p10 and p90
};

/// How wide bands are: p90 over p10.
struct Widths {
  std::size_t rows = 0;
  double median = 0;
  double most = 0;
};

/// A case that Opara was measured first in.
struct FirstCase {
  std::string name;
  double opara = 0;       ///< sequential over it
  double best_other = 0;  ///< the same of the best other schedule
  std::string other;
  bool is_first = false;  ///< no other is faster by more than 1 %
};

struct OutsideCount {
  std::string reason;
  std::size_t values = 0;
};

struct Summary {
  std::vector<ErrorGroup> errors;  ///< of all rows, then by use, paper, GPU and quantity
  Widths times;
  Widths ratios;
  std::vector<FirstCase> first;
  std::vector<SimulatedRow> launch_order;  ///< GoogLeNet's, alone
  std::vector<OutsideCount> outside;
  std::size_t skipped = 0;
};

Summary summarise(const std::vector<SimulatedRow>& rows,
                  const std::vector<bench::OutsideRow>& outside);

}  // namespace braid::gpu_model
