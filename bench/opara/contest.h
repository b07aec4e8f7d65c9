#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/simulated_time.h"
#include "shared/captured.h"

namespace braid::opara_table {

/// A network of Opara's evaluation, and what it was measured on.
struct Network {
  std::string name;       ///< the zoo's
  std::string published;  ///< how published.json calls it
  std::string title;
  std::string gpu;
  std::string setup;
};
const std::vector<Network>& networks();

struct Contender {
  std::string scheduler;
  std::string title;
};
/// In the order of the table; the first is what others are measured against.
const std::vector<Contender>& contenders();

/// What one scheduler makes of a network.
struct Entry {
  Contender contender;
  SimulatedTime time;
  double planning_ms = 0;  ///< processor time, the least of a few
  std::int64_t arena_bytes = 0;
  std::size_t streams = 0;
  std::size_t waits = 0;
};

struct Contest {
  Network network;
  std::int64_t batch = 1;
  std::string device;
  std::size_t nodes = 0;
  std::int64_t weight_bytes = 0;
  std::vector<Entry> entries;
};

/// Plans and simulates the network with all contenders, on the device that it was measured on or,
/// if `device` is not empty, on that one ("sim:a100+tf32").
Contest contest(const Network& network, std::int64_t batch, const std::string& device);

}  // namespace braid::opara_table
