#pragma once

#include <string>
#include <vector>

#include "base/text.h"  // grouped()

namespace braid::cli {

/// Rows of cells printed with aligned columns; cells that are numbers are set to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace braid::cli
