#include "device/cpu/cpu_device.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cost/roofline.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lanes/lane_pool.h"
#include "device/cpu/lanes/lane_settings.h"
#include "device/cpu/lanes/make_kernels.h"
#include "device/cpu/lanes/memory_needs.h"
#include "device/cpu/lanes/program.h"
#include "device/cpu/lowering/lower.h"
#include "device/cpu/lowering/rules.h"
#include "device/cpu/machine/cores.h"
#include "device/cpu/machine/fingerprint.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/machine/kernel_identity.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/round_figures.h"
#include "device/cpu/measuring/meter.h"
#include "ops/call.h"
#include "ops/catalog.h"

namespace braid::cpu {
namespace {

/// Measured costs replace these figures.
DeviceSpec cpu_spec(int lanes) {
  DeviceSpec spec;
  spec.name = "cpu";
  spec.streams = lanes;
  spec.flops_per_us = flops_per_us(isa());
  spec.bytes_per_us = kBytesPerUsOfAll;
  spec.bytes_per_us_stream = kBytesPerUsOfOne;
  spec.launch_us = 0.5;
  spec.wait_us = 0.5;
  spec.most_arena = 1.2;
  return spec;
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(std::shared_ptr<LanePool> pool)
      : pool_(std::move(pool)), spec_(cpu_spec(pool_->lanes())), costs_(spec_) {}

  const DeviceSpec& spec() const override { return spec_; }
  std::string fingerprint() const override {
    return cpu::fingerprint(pool_->lanes(), pool_->is_pinned());
  }
  std::string kernel_identity(std::string_view implementation) const override {
    return std::string(cpu::kernel_identity(implementation));
  }
  const Meter* meter() const override { return &cpu::meter(); }
  const CostModel& modelled_costs() const override { return costs_; }

  std::optional<std::string> rejects(const Graph& graph, NodeId id) const override {
    const Node& node = graph.node(id);
    const OpDef* def = find_op(node.op);
    if (def == nullptr) return fmt::format("there is no operator {}", quote(node.op));
    if (def->evaluate == nullptr) return fmt::format("{} cannot be computed", node.op);
    const OpCall call = call_of(graph, node);
    if (call.has(def->typed_input)) {
      const ElementType element = call.input(def->typed_input).element;
      if ((def->types & set_of(element)) == 0)
        return fmt::format("{} is not defined on elements of type {}", node.op, name(element));
    }
    return std::nullopt;
  }

  std::vector<RewriteStep> lowering_steps() const override { return cpu::lowering_steps(); }

  ElementSet kernel_types(std::string_view op) const override { return cpu::kernel_types(op); }
  bool is_exact(std::string_view implementation) const override {
    return cpu::is_exact(implementation);
  }

  Graph lower_nodes(const Graph& graph, const LowerOptions& options) const override {
    const LaneSettings settings;
    for (const NodeId id : graph.node_ids())
      if (const auto reason = rejects(graph, id))
        raise(ErrorKind::Unsupported,
              fmt::format("cpu cannot run {}: {}", describe(graph, id), *reason));
    return cpu::lower_nodes(graph, options);
  }

  using Device::compile;
  std::vector<std::unique_ptr<Program>> compile(const Graph& lowered,
                                                std::span<const Plan> plans) const override {
    for (const Plan& plan : plans)
      if (plan.device != spec_.name)
        raise(ErrorKind::Model,
              fmt::format("the plan is for device {}, not for cpu", quote(plan.device)));
    KernelStore kernels(lowered);
    make_kernels(lowered, plans, pool_->lanes(), kernels);
    std::vector<std::unique_ptr<Program>> programs;
    for (const Plan& plan : plans) programs.push_back(make_program(lowered, plan, pool_, kernels));
    return programs;
  }

  std::int64_t packed_bytes(const Graph& lowered) const override {
    return cpu::packed_bytes(lowered);
  }
  std::int64_t arena_bytes(const Graph& lowered, const Plan& plan, int calls) const override {
    return kept_arena_bytes(lowered, plan, pool_->lanes(), calls);
  }

 private:
  std::shared_ptr<LanePool> pool_;
  DeviceSpec spec_;
  RooflineCostModel costs_;
};

}  // namespace

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  if (options.threads < 0)
    raise(ErrorKind::Usage, fmt::format("the number of threads is {}, expected 1 or more, or 0 for "
                                        "all that the process may use",
                                        options.threads));
  if (!options.isa.empty()) limit_isa(isa_named(options.isa, "--isa"));
  const Cores cores = usable_cores();
  const bool is_pinned =
      options.pin == Pin::On || (options.pin == Pin::Auto && cores.is_restricted);
  return std::make_unique<CpuDevice>(
      std::make_shared<LanePool>(options.threads > 0 ? options.threads : lanes_at_once(),
                                 cores.at_once, is_pinned ? cores.allowed : std::vector<int>{}));
}

}  // namespace braid::cpu
