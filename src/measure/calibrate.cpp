#include "measure/calibrate.h"

#include "device/kernel_identity.h"

namespace braid {

std::optional<DeviceSpec> calibrated_spec(const Device& device, ProfileCache* cache,
                                          const ProfileOptions& options) {
  const Meter* meter = device.meter();
  if (meter == nullptr) return std::nullopt;
  const std::string conditions =
      with_identity(device.fingerprint(), device.kernel_identity(kCalibration));
  const std::vector<std::string> names = meter->figures();
  SamplesBySignature samples;
  if (cache != nullptr && !(options.measure && options.remeasure))
    samples = cache->find(conditions, names);
  if (samples.size() < names.size()) {
    if (!options.measure) return std::nullopt;
    samples = meter->measure_figures(device, options.progress);
    if (cache != nullptr) cache->keep(conditions, samples);
  }
  return meter->with_figures(device.spec(), samples);
}

}  // namespace braid
