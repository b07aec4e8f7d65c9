#pragma once

#include <map>
#include <memory>
#include <string>

#include "cost/cost_model.h"

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

/// Measured costs by operator signature. What was not measured is modelled, and scaled by how far
/// the model was off elsewhere: for a part, how far it was off for the whole node; for a node, how
/// far it was off for others of its operator, or for all.
class CostTable : public CostModel {
 public:
  /// `otherwise` models what the table lacks.
  explicit CostTable(std::shared_ptr<const CostModel> otherwise);

  /// Replaces what there was of that signature. Not while another thread asks.
  void add(const std::string& signature, Measurement measurement);
  /// Null if the signature was not measured.
  const Measurement* find(const std::string& signature) const;
  const std::map<std::string, Measurement>& entries() const { return entries_; }

  Cost cost(const Graph& graph, NodeId node, int parts = 1) const override;

 private:
  /// How far the model is off: the geometric mean of measured by modelled times.
  struct Drift {
    double logarithms = 0;
    int count = 0;
  };

  void count(const Measurement& measurement, int sign);
  double scale_of(const Graph& graph, NodeId node, int parts) const;

  std::shared_ptr<const CostModel> otherwise_;
  std::map<std::string, Measurement> entries_;
  std::map<std::string, Drift> drifts_;  // by operator
  Drift drift_;
};

}  // namespace braid
