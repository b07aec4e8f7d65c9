#include "tests/devices/fake_device.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cost/roofline.h"
#include "ops/catalog.h"
#include "tests/devices/fake_lower.h"
#include "tests/devices/fake_program.h"

namespace braid {
namespace {

/// A device so slow that even small nodes are worth a stream of their own.
DeviceSpec fake_spec(const FakeOptions& options) {
  DeviceSpec spec;
  spec.name = options.name;
  spec.streams = options.streams;
  spec.flops_per_us = 100;
  spec.bytes_per_us = 400;
  spec.bytes_per_us_stream = 200;
  spec.launch_us = 0.5;
  spec.wait_us = 0.5;
  spec.most_arena = 1.2;
  return spec;
}

class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeOptions options)
      : options_(std::move(options)), spec_(fake_spec(options_)), costs_(spec_) {}

  const DeviceSpec& spec() const override { return spec_; }
  const CostModel& modelled_costs() const override { return costs_; }

  std::optional<std::string> rejects(const Graph& graph, NodeId node) const override {
    if (options_.flaw == Flaw::LowersRejected && graph.node(node).op == "Relu")
      return "it is said to be rejected";
    const OpDef* def = find_op(graph.node(node).op);
    if (def == nullptr || def->evaluate == nullptr) return "it cannot be evaluated";
    return std::nullopt;
  }

  Graph lower_nodes(const Graph& graph, const LowerOptions& /*options*/) const override {
    for (const NodeId id : graph.node_ids())
      if (const auto reason = rejects(graph, id); reason && options_.flaw != Flaw::LowersRejected)
        raise(ErrorKind::Unsupported,
              fmt::format("{} cannot run {}: {}", spec_.name, describe(graph, id), *reason));
    return fake_lower(graph);
  }

  using Device::compile;
  std::vector<std::unique_ptr<Program>> compile(const Graph& lowered,
                                                std::span<const Plan> plans) const override {
    std::vector<std::unique_ptr<Program>> programs;
    for (const Plan& plan : plans) {
      check(plan);
      const Plan& followed = options_.flaw == Flaw::RunsOnePlan ? plans.front() : plan;
      programs.push_back(make_fake_program(lowered, followed, costs_, options_));
    }
    return programs;
  }

 private:
  void check(const Plan& plan) const {
    if (plan.device != spec_.name)
      raise(ErrorKind::Model,
            fmt::format("the plan is for device '{}', not for {}", plan.device, spec_.name));
    if (plan.streams.size() > static_cast<std::size_t>(spec_.streams))
      raise(ErrorKind::Usage, fmt::format("the plan has {} streams, {} has {}", plan.streams.size(),
                                          spec_.name, spec_.streams));
  }

  FakeOptions options_;
  DeviceSpec spec_;
  RooflineCostModel costs_;
};

}  // namespace

std::unique_ptr<Device> make_fake_device(FakeOptions options) {
  return std::make_unique<FakeDevice>(std::move(options));
}

}  // namespace braid
