#include "device/cpu/measuring/meter.h"

#include "device/cpu/measuring/measure_figures.h"
#include "device/cpu/measuring/measure_nodes.h"

namespace braid::cpu {
namespace {

class CpuMeter : public Meter {
 public:
  std::vector<std::string> figures() const override { return cpu::figures(); }
  SamplesBySignature measure_figures(const Device& device,
                                     const Progress& progress) const override {
    return cpu::measure_figures(device, progress);
  }
  DeviceSpec with_figures(DeviceSpec spec, const SamplesBySignature& samples) const override {
    return cpu::with_figures(std::move(spec), samples);
  }
  void measure_nodes(const Device& device, const Graph& lowered, std::span<Probe> probes,
                     const MeasureOptions& options, const Watch& watch) const override {
    cpu::measure_nodes(device, lowered, probes, options, watch);
  }
};

}  // namespace

const Meter& meter() {
  static const CpuMeter the_meter;
  return the_meter;
}

}  // namespace braid::cpu
