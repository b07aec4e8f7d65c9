#pragma once

#include "device/device.h"

namespace braid::cpu {

/// Arithmetic of a lane (a product of matrices that fit its cache), bandwidth of one lane and of
/// all (memory beyond the caches, in large pages, read by one thread, and by one per lane), cost of
/// a step and of a wait (short rows of tiny steps).
std::vector<std::string> figures();
SamplesBySignature measure_figures(const Device& device, const Progress& progress);
DeviceSpec with_figures(DeviceSpec spec, const SamplesBySignature& samples);

}  // namespace braid::cpu
