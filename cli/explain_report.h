#pragma once

#include <string>
#include <vector>

#include "cli/planned_model.h"
#include "explain/explanation.h"
#include "pipeline/rewrite_outlook.h"
#include "schedule/memory_budget.h"

namespace braid::cli {

/// What `explain` prints, of one Plan. Refers to what it is given.
struct ExplainReport {
  const std::string& model;
  const Runnable& prepared;
  const Prediction& prediction;
  const Explanation& found;
  const RewriteOutlook* outlook = nullptr;  ///< unless it was not asked for
  std::size_t rows = 10;                    ///< of the critical path, in the text

  std::string text() const;
  std::string json() const;
};

/// A Plan than which none is both smaller and faster by its prediction.
struct TradeOff {
  Plan plan;
  Thrift thrift = Thrift::None;
  Prediction prediction;
};

/// Memory against time: a row per Plan, smallest first.
std::string pareto_text(const std::vector<TradeOff>& rows);
std::string pareto_json(const std::string& model, const Planned& planned,
                        const std::vector<TradeOff>& rows, bool simulated);

}  // namespace braid::cli
