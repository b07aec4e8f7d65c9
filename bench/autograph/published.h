#pragma once

#include <map>
#include <optional>
#include <string>

namespace braid::autograph_table {

/// Table 2 of the paper (published.json): milliseconds by model, then by column.
class PublishedTable {
 public:
  /// Reads the file of these sources.
  static PublishedTable read();

  std::optional<double> milliseconds(const std::string& model, const std::string& column) const;
  /// The time of column `over` divided by that of `of`; nothing if the paper lacks one.
  std::optional<double> ratio(const std::string& model, const std::string& over,
                              const std::string& of) const;

 private:
  std::map<std::string, std::map<std::string, double>> milliseconds_;
};

}  // namespace braid::autograph_table
