#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace braid {

/// How far a model is off: ratios of measured to modelled times.
class Drift {
 public:
  /// Adds a ratio, or with `sign` -1 takes it away.
  void count(double ratio, int sign);

  std::size_t count() const { return logarithms_.size(); }
  /// The geometric mean; 1 without any.
  double factor() const;
  /// The 10th and the 90th percentile, at most and at least the mean; 1 without any.
  double low() const;
  double high() const;

 private:
  double percentile(double p) const;

  std::multiset<double> logarithms_;
  double sum_ = 0;
};

/// The same by operator, and of all together.
struct Drifts {
  std::map<std::string, Drift> by_op = {};
  Drift all = {};

  void count(const std::string& op, double ratio, int sign);
  /// The ratios in those of these that are used, each once.
  std::size_t counted(const std::set<const Drift*>& used) const;
};

}  // namespace braid
