#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "device/device.h"
#include "ops/testing/case.h"

namespace braid {

/// A device that the suite tries, by the name that tests show.
struct DeviceUnderTest {
  std::string name;
  std::function<std::unique_ptr<Device>()> open;
  int networks = is_full() ? 16 : 4;  ///< of those that checks of Plans run
};

/// A random network lowered for a device, an input for it and what the device makes of that with
/// one stream.
struct Subject {
  Graph graph;
  Graph lowered;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
};
Subject make_subject(const Device& device, std::uint32_t seed);
/// Another input of the subject's network.
std::vector<Tensor> other_inputs(std::uint32_t seed);

/// Steps on random streams, cut at random (plan/testing/random_plan.h).
Plan random_plan_for(const Device& device, const Graph& lowered, std::uint64_t seed);
/// A Plan that cuts every node that may be cut into a part for each stream, by the cut of that
/// index or, where there are fewer, the last.
Plan spread_plan(const Device& device, const Graph& lowered, std::size_t cut);

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

/// What a device does wrong, in a sentence each. Threads may complain at once.
class Complaints {
 public:
  void add(std::string complaint) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(std::move(complaint));
  }
  void add_all(const std::string& where, const std::vector<std::string>& complaints);
  /// An Error that leaves `body` is a complaint.
  void unless(const std::string& where, const std::function<void()>& body);
  /// Complains if a Program gives other bits than these.
  void unless_runs(const std::string& where, Program& program, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& expected, const RunOptions& options = {});

  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace braid
