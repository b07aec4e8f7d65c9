#include "sim/gpu_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace braid::sim {
namespace {

int whole(const JsonPlace& place, std::string_view key, std::int64_t most) {
  return static_cast<int>(place[key].integer(1, most));
}

SmLimits read_limits(const JsonPlace& place) {
  place.expect_keys({"threads", "blocks", "registers", "shared_bytes", "shared_bytes_per_block",
                     "shared_bytes_reserved", "shared_unit", "register_unit"});
  SmLimits limits;
  limits.threads = whole(place, "threads", 1 << 16);
  limits.blocks = whole(place, "blocks", 1 << 10);
  limits.registers = place["registers"].integer(1, 1 << 24);
  limits.shared_bytes = place["shared_bytes"].integer(1, 1 << 24);
  limits.shared_bytes_per_block = place["shared_bytes_per_block"].integer(1, 1 << 24);
  limits.shared_bytes_reserved = place["shared_bytes_reserved"].integer(0, 1 << 20);
  limits.shared_unit = whole(place, "shared_unit", 1 << 16);
  limits.register_unit = whole(place, "register_unit", 1 << 16);
  return limits;
}

LaunchCosts read_costs(const JsonPlace& place) {
  place.expect_keys({"launch_us", "event_us", "edge_us", "cross_edge_us", "graph_us",
                     "graph_node_us", "device_sync_us", "hardware_queues", "graph_queues",
                     "library_call_us"});
  constexpr double most = 1e6;
  LaunchCosts costs;
  costs.launch_us = place["launch_us"].real(0, most);
  costs.event_us = place["event_us"].real(0, most);
  costs.edge_us = place["edge_us"].real(0, most);
  costs.cross_edge_us = place["cross_edge_us"].real(0, most);
  costs.graph_us = place["graph_us"].real(0, most);
  costs.graph_node_us = place["graph_node_us"].real(0, most);
  costs.device_sync_us = place["device_sync_us"].real(0, most);
  if (place.has("library_call_us")) costs.library_call_us = place["library_call_us"].real(0, most);
  costs.hardware_queues = whole(place, "hardware_queues", 1024);
  if (place.has("graph_queues")) costs.graph_queues = whole(place, "graph_queues", 1024);
  return costs;
}

KernelFamily read_family(const JsonPlace& place, const SmLimits& sm) {
  place.expect_keys({"threads", "registers", "shared_bytes", "efficiency", "saturation_warps",
                     "fill_us", "refill_us", "error", "fitted_on"});
  KernelFamily family;
  family.threads = whole(place, "threads", sm.threads);
  family.registers = whole(place, "registers", 255);
  family.shared_bytes = place["shared_bytes"].integer(0, sm.shared_bytes_per_block);
  family.efficiency = place["efficiency"].real(1e-3, 1);
  family.saturation_warps = place["saturation_warps"].real(0.1, 64);
  family.fill_us = place["fill_us"].real(0, 1000);
  family.refill_us = place["refill_us"].real(0, 1000);
  family.calibrated = place.has("error");
  if (family.calibrated) family.error = place["error"].real(0, 10);
  return family;
}

KernelChoice read_choice(const JsonPlace& place) {
  place.expect_keys({"weights", "regret", "error", "fitted_on"});
  KernelChoice choice;
  const JsonPlace weights = place["weights"];
  for (const std::string& way : weights.keys())
    choice.weights.emplace(way, weights[way].real(1e-3, 1e3));
  if (choice.weights.empty()) weights.fail("expected the weight of at least one way");
  if (place.has("regret")) choice.regret = place["regret"].real(1, 10);
  if (place.has("error")) choice.error = place["error"].real(0, 10);
  return choice;
}

std::map<std::string, KernelChoice, std::less<>> read_choices(const JsonPlace& place) {
  place.expect_keys({"conv", "product", "batched_product"});
  std::map<std::string, KernelChoice, std::less<>> choices;
  for (const std::string& kind : place.keys()) choices.emplace(kind, read_choice(place[kind]));
  return choices;
}

}  // namespace

std::optional<double> GpuSpec::weight(std::string_view kind, std::string_view way) const {
  const auto choice = choices.find(kind);
  if (choice == choices.end()) return 1;
  const auto found = choice->second.weights.find(way);
  if (found == choice->second.weights.end()) return std::nullopt;
  return found->second;
}

const KernelFamily& GpuSpec::family(std::string_view called) const {
  const auto found = families.find(called);
  if (found != families.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, family] : families) known.push_back(name);
  raise(ErrorKind::Model, fmt::format("the GPU {} has no kernel family {}; it has: {}", quote(name),
                                      quote(called), fmt::join(known, ", ")));
}

GpuSpec parse_gpu_spec(std::string_view text, std::string_view origin) {
  const auto where = [&] { return fmt::format("while reading the GPU spec {}", quote(origin)); };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    root.expect_keys({"format",
                      "version",
                      "name",
                      "title",
                      "compute_capability",
                      "sms",
                      "full_sms",
                      "fp32_tflops",
                      "tf32_tflops",
                      "dram_gb_per_s",
                      "dram_efficiency",
                      "l2_gb_per_s",
                      "l2_bytes",
                      "sm_bandwidth_factor",
                      "overlap",
                      "sm",
                      "costs",
                      "choices",
                      "families",
                      "interference",
                      "sources",
                      "cudnn"});
    if (root["format"].text() != "braid-gpu")
      root["format"].fail("expected \"braid-gpu\", got " + quote(root["format"].text()));
    root["version"].integer(1, 1);
    GpuSpec spec;
    spec.name = root["name"].text();
    spec.title = root["title"].text();
    const JsonPlace capability = root["compute_capability"];
    if (capability.size() != 2) capability.fail("expected two whole numbers");
    spec.compute_major = static_cast<int>(capability.at(0).integer(1, 99));
    spec.compute_minor = static_cast<int>(capability.at(1).integer(0, 99));
    spec.sms = whole(root, "sms", 4096);
    spec.full_sms = root.has("full_sms") ? whole(root, "full_sms", 4096) : spec.sms;
    // An SM is as fast as it was, however many there are.
    const double of_full = static_cast<double>(spec.sms) / spec.full_sms;
    spec.fp32_flops_per_us = root["fp32_tflops"].real(1e-3, 1e6) * 1e6 * of_full;
    spec.tensor_flops_per_us =
        root.has("tf32_tflops") ? root["tf32_tflops"].real(0, 1e6) * 1e6 * of_full : 0;
    spec.dram_bytes_per_us =
        root["dram_gb_per_s"].real(1, 1e6) * 1e3 * root["dram_efficiency"].real(0.01, 1);
    spec.l2_bytes_per_us = root["l2_gb_per_s"].real(1, 1e7) * 1e3;
    spec.l2_bytes = root["l2_bytes"].integer(1, std::int64_t{1} << 40);
    spec.sm_bandwidth_factor = root["sm_bandwidth_factor"].real(1, 1000) * of_full;
    spec.overlap = root["overlap"].real(0, 1);
    spec.sm = read_limits(root["sm"]);
    spec.costs = read_costs(root["costs"]);
    const JsonPlace families = root["families"];
    for (const std::string& key : families.keys())
      spec.families.emplace(key, read_family(families[key], spec.sm));
    if (root.has("choices")) spec.choices = read_choices(root["choices"]);
    if (root.has("interference"))
      spec.interference = read_interference(root["interference"], families.keys());
    if (root.has("cudnn")) spec.cudnn = root["cudnn"].text();
    return spec;
  });
}

}  // namespace braid::sim
