#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "cost/drift.h"

namespace braid {

/// What was measured of one operator signature (cost/signature.h).
struct Measurement {
  std::string op;
  double time_us = 0;         ///< alone
  double time_beside_us = 0;  ///< beside a stream that reads memory as fast as it can
  double modelled_us = 0;     ///< by the model that the table falls back on
  int samples = 0;            ///< of `time_us`

  bool operator==(const Measurement&) const = default;
};

/// The measured time over the modelled one of an operator in another model.
struct BorrowedRatio {
  std::string op;
  double ratio = 1;
};

/// What a table knows and what it models of a graph, its nodes uncut and one after another.
struct ModelledShare {
  double measured_us = 0;    ///< the nodes that were measured
  double modelled_us = 0;    ///< the others, by the model alone
  double scaled_us = 0;      ///< the same, scaled by how far the model was off elsewhere
  double low_us = 0;         ///< the same, scaled by the 10th percentile of that
  double high_us = 0;        ///< the same, scaled by the 90th
  std::size_t own = 0;       ///< measured operators of the graph from which the scale comes
  std::size_t borrowed = 0;  ///< and those of other models

  double total_us() const { return measured_us + scaled_us; }
  double factor() const { return modelled_us > 0 ? scaled_us / modelled_us : 1; }
};

/// Measured costs by operator signature. What was not measured is modelled, and scaled by how far
/// the model was off elsewhere: for a part, how far it was off for the whole node; for a node, how
/// far it was off for others of its operator, in this graph or else in other models; or else for
/// all operators of this graph, or of others.
class CostTable : public CostModel {
 public:
  /// `otherwise` models what the table lacks.
  explicit CostTable(std::shared_ptr<const CostModel> otherwise);

  /// Replaces what there was of that signature. Not while another thread asks.
  void add(const std::string& signature, Measurement measurement);
  /// Null if the signature was not measured.
  const Measurement* find(const std::string& signature) const;
  const std::map<std::string, Measurement>& entries() const { return entries_; }

  /// Replaces what other models tell of how far the model is off. Not while another thread asks.
  void borrow(const std::vector<BorrowedRatio>& ratios);
  ModelledShare modelled_share(const Graph& graph) const;

  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  void count(const Measurement& measurement, int sign);
  double scale_of(const Graph& graph, NodeId node, int parts) const;
  /// That by which an operator that was not measured is scaled; null if there is none.
  const Drift* drift_of(const std::string& op) const;

  std::shared_ptr<const CostModel> otherwise_;
  std::map<std::string, Measurement> entries_;
  Drifts own_;
  Drifts borrowed_;
};

}  // namespace braid
