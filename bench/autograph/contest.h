#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/simulated_time.h"
#include "watched.h"

namespace braid::autograph_table {

/// A network of AutoGraph's evaluation.
struct Network {
  std::string name;  ///< the zoo's
  std::string title;
};
const std::vector<Network>& networks();
/// How the tables call a model of the zoo, one of the networks or not.
std::string title_of(const std::string& model);

/// A column of the table: a graph and the way in which it is scheduled.
struct Column {
  std::string key;
  std::string title;
};
/// In the order of the table; the last three are references.
const std::vector<Column>& columns();

struct Entry {
  std::string key;
  SimulatedTime time = {};
};

/// What all columns make of a model on a device, in the same draws.
struct Contest {
  std::string model;
  std::string device;
  std::int64_t batch = 1;
  std::vector<Entry> entries =
      {};  ///< of the columns, and "before": what our optimisation began with
  Watched ours = {};
  Watched taso = {};
};

/// Where a contest takes place, and for how long each search goes on.
struct Setting {
  std::string device;
  std::int64_t batch = 1;
  double seconds = 60;
  std::uint64_t seed = 1;

  OptimiseOptions optimise_options() const;
};

Contest contest(const std::string& model, const Setting& setting);

/// The graph of a model of the zoo, or of an ONNX file, as the device's own canonicalisation leaves
/// it.
std::shared_ptr<const Canonical> canonical_model(const std::string& model, const Device& device,
                                                 std::int64_t batch);
/// How long a Plan takes on the device that it was made for.
SimulatedTime simulated(const Planned& planned, const Device& device);

nlohmann::ordered_json json_of(const Contest& contest);
nlohmann::ordered_json json_of(const SimulatedTime& time);

}  // namespace braid::autograph_table
