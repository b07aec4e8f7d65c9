#include "cost/drift.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace braid {

void Drift::count(double ratio, int sign) {
  const double logarithm = std::log(ratio);
  sum_ += sign * logarithm;
  if (sign > 0) {
    logarithms_.insert(logarithm);
    return;
  }
  if (const auto at = logarithms_.find(logarithm); at != logarithms_.end()) logarithms_.erase(at);
}

double Drift::factor() const {
  return logarithms_.empty() ? 1 : std::exp(sum_ / static_cast<double>(logarithms_.size()));
}

double Drift::low() const { return std::min(factor(), percentile(10)); }

double Drift::high() const { return std::max(factor(), percentile(90)); }

double Drift::percentile(double p) const {
  if (logarithms_.empty()) return 1;
  const double at = p / 100 * static_cast<double>(logarithms_.size() - 1);
  return std::exp(*std::next(logarithms_.begin(), std::lround(at)));
}

void Drifts::count(const std::string& op, double ratio, int sign) {
  all.count(ratio, sign);
  by_op[op].count(ratio, sign);
}

std::size_t Drifts::counted(const std::set<const Drift*>& used) const {
  if (used.contains(&all)) return all.count();
  std::size_t total = 0;
  for (const auto& [op, drift] : by_op)
    if (used.contains(&drift)) total += drift.count();
  return total;
}

}  // namespace braid
