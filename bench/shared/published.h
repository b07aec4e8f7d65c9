#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace braid::bench {

/// Another value that the same source gives for the same thing.
struct OtherValue {
  double value = 0;
  std::string where;
};

/// A published figure and what to simulate for it; bench/gpu_model/published.json describes the
/// fields.
struct PublishedRow {
  std::string id;
  std::string paper;
  std::string where;
  std::string network;
  std::int64_t batch = 1;
  std::string gpu;
  std::string setup;
  std::string schedule;
  std::string over;     ///< what a ratio divides by `schedule`'s time; empty: the figure is a time
  std::string file;     ///< which of IOS's schedule files is meant; empty: none
  int group_units = 3;  ///< r and s of IOS's search
  int groups = 8;
  double published = 0;  ///< milliseconds, or the ratio
  std::vector<OtherValue> others;
  std::string used_for;  ///< "fit" or "check"
  std::string fits;
  std::string note;

  bool is_ratio() const { return !over.empty(); }
};

/// Figures that lie outside the model.
struct OutsideRow {
  std::string paper;
  std::string where;
  std::string what;
  std::map<std::string, double> values;
  std::string reason;
};

struct Published {
  std::vector<PublishedRow> rows;
  std::vector<OutsideRow> outside;
};

/// Reads a file of published figures. Throws Model with the place.
Published read_published(const std::string& path);
/// bench/gpu_model/published.json of these sources.
std::string published_file();

}  // namespace braid::bench
